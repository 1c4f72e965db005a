import type { ClientSession, mongo } from 'mongoose';
import { type DeclaredCollection, type Row, refuseUndefined } from './collection.ts';
import { type Db, databaseOf } from './connect.ts';

/** One write as data: what a pure plan returns instead of writing. */
export interface Write {
  readonly collectionName: string;
  readonly operation: Operation;
}

type Operation =
  | { name: 'insertOne'; document: object }
  | { name: 'updateOne' | 'updateMany'; filter: object; update: object | object[]; upsert?: boolean }
  | { name: 'replaceOne'; filter: object; replacement: object; upsert?: boolean }
  | { name: 'deleteOne' | 'deleteMany'; filter: object };

/** Inserts a row. */
export function insertRow<T extends Row>(into: DeclaredCollection<T>, row: T): Write {
  return { collectionName: into.collectionName, operation: { name: 'insertOne', document: row } };
}

/** Updates one row; with `upsert` it comes into being when it is not there. */
export function updateRow<T extends Row>(
  of: DeclaredCollection<T>,
  filter: mongo.Filter<T>,
  update: mongo.UpdateFilter<T> | mongo.Document[],
  options: { upsert?: boolean } = {},
): Write {
  return { collectionName: of.collectionName, operation: { name: 'updateOne', filter, update, ...options } };
}

/** Puts a row in the place of the one with its `_id`; with `upsert` also when there is none. */
export function replaceRow<T extends Row>(
  of: DeclaredCollection<T>,
  row: T,
  options: { upsert?: boolean } = {},
): Write {
  const operation = { name: 'replaceOne', filter: { _id: row._id }, replacement: row, ...options } as const;
  return { collectionName: of.collectionName, operation };
}

/** Deletes every row that matches. */
export function deleteRows<T extends Row>(of: DeclaredCollection<T>, filter: mongo.Filter<T>): Write {
  return { collectionName: of.collectionName, operation: { name: 'deleteMany', filter } };
}

/**
 * Carries out writes of any collections in one command of a transaction that has read something before (the embedded
 * store takes it as no transaction's first command). Deletes come first; beyond that no order is promised, so a plan
 * may delete a row and insert it again, and has no other two writes to one row.
 */
export async function applyWrites(
  { db }: { db: Db },
  writes: readonly Write[],
  transaction: ClientSession,
): Promise<void> {
  if (writes.length === 0) return;
  const { databaseName } = databaseOf(db);
  const isDelete = ({ operation }: Write) =>
    operation.name === 'deleteMany' || operation.name === 'deleteOne';
  const inOrder = [...writes.filter(isDelete), ...writes.filter((write) => !isDelete(write))];
  const models = inOrder.map(({ collectionName, operation }) => {
    if ('filter' in operation) refuseUndefined(operation.filter, 'filter');
    return { namespace: `${databaseName}.${collectionName}`, ...operation };
  });
  const ordered = writes.some(isDelete);
  await db.connection
    .getClient()
    .bulkWrite(models as mongo.AnyClientBulkWriteModel<mongo.Document>[], { session: transaction, ordered });
}
