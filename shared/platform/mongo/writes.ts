import { type ClientSession, mongo } from 'mongoose';
import { type DeclaredCollection, type Row, refuseUndefined } from './collection.ts';
import { type Db, databaseOf } from './connect.ts';

/** One write as data: what a pure plan returns instead of writing. */
export interface Write {
  readonly collectionName: string;
  readonly operation: Operation;
  /** Fields of the shard key that a router needs beside the filter (on-shard.ts). */
  readonly shard?: object | undefined;
}

type Operation =
  | { name: 'insertOne'; document: object }
  | { name: 'updateOne'; filter: object; update: object; upsert?: boolean }
  | { name: 'replaceOne'; filter: object; replacement: object; upsert?: boolean }
  | { name: 'deleteMany'; filter: object };

/** A write that inserts a row. The whole plan fails with a duplicate key when the row is there already. */
export function insertRow<T extends Row>(into: DeclaredCollection<T>, row: T): Write {
  return { collectionName: into.collectionName, operation: { name: 'insertOne', document: row } };
}

/** A write that updates one row; with `upsert` the row comes into being when it is missing. */
export function updateRow<T extends Row>(
  of: DeclaredCollection<T>,
  filter: mongo.Filter<T>,
  update: mongo.UpdateFilter<T> | mongo.Document[],
  { shard, ...options }: { upsert?: boolean; shard?: mongo.Filter<T> } = {},
): Write {
  const operation = { name: 'updateOne', filter, update, ...options } as const;
  return { collectionName: of.collectionName, operation, shard };
}

/** A write that puts a row in the place of the one with its `_id`; with `upsert` also when there is none. */
export function replaceRow<T extends Row>(
  of: DeclaredCollection<T>,
  row: T,
  options: { upsert?: boolean } = {},
): Write {
  const operation = { name: 'replaceOne', filter: { _id: row._id }, replacement: row, ...options } as const;
  const fields = Object.keys(of.shardKey ?? {}) as (keyof T)[];
  const shard = Object.fromEntries(fields.map((name) => [name, row[name]]));
  return { collectionName: of.collectionName, operation, shard };
}

/** A write that deletes every row that matches. */
export function deleteRows<T extends Row>(
  from: DeclaredCollection<T>,
  filter: mongo.Filter<T>,
  shard?: mongo.Filter<T>,
): Write {
  return { collectionName: from.collectionName, operation: { name: 'deleteMany', filter }, shard };
}

/**
 * From this many writes on, one command per collection is faster on the embedded store than one command for all. Signals of
 * new users are six writes each: 8 clients recorded 863 per second instead of 765, 4 clients 494 instead of 565.
 */
const MANY_WRITES = 45;

/**
 * Carries out writes of any collections within a transaction. Deletes come first, so that a plan may delete a row and
 * insert it again; beyond that no order is promised. A small plan is one command, which the embedded store refuses as the
 * first command of a transaction: read something before.
 */
export async function applyWrites(
  { db }: { db: Db },
  planned: readonly Write[],
  transaction: ClientSession,
): Promise<void> {
  const writes = db.isSharded ? planned.map(nameShard) : planned;
  for (const { operation } of writes) if ('filter' in operation) refuseUndefined(operation.filter, 'filter');
  const isDelete = ({ operation }: Write) => operation.name === 'deleteMany';
  const deletes = writes.filter(isDelete);
  const others = writes.filter((write) => !isDelete(write));
  if (writes.length >= MANY_WRITES) {
    await writeByCollection(db, deletes, transaction);
    await writeByCollection(db, others, transaction);
  } else if (writes.length > 0) {
    await writeTogether(db, [...deletes, ...others], transaction);
  }
}

function nameShard(write: Write): Write {
  const { operation, shard } = write;
  if (shard === undefined || operation.name === 'insertOne') return write;
  return { ...write, operation: { ...operation, filter: { ...operation.filter, ...shard } } };
}

async function writeTogether(db: Db, writes: readonly Write[], session: ClientSession): Promise<void> {
  const { databaseName } = databaseOf(db);
  const models = writes.map(({ collectionName, operation }) => ({
    namespace: `${databaseName}.${collectionName}`,
    ...operation,
  }));
  try {
    await db.connection
      .getClient()
      .bulkWrite(models as mongo.AnyClientBulkWriteModel<mongo.Document>[], { session, ordered: true });
  } catch (error) {
    throw error instanceof mongo.MongoClientBulkWriteError ? firstErrorOf(error) : error;
  }
}

const WRITE_CONFLICT = 112;

/**
 * The error of the write that failed, as every other operation would throw it: the driver hides its code and, on the
 * embedded store, that a conflict makes the transaction worth another attempt.
 */
function firstErrorOf(error: mongo.MongoClientBulkWriteError): Error {
  const [failed] = error.writeErrors.values();
  if (!failed) return error;
  const { code, message } = failed;
  const errorLabels = code === WRITE_CONFLICT ? ['TransientTransactionError'] : [];
  return new mongo.MongoServerError({ message, code, errorLabels });
}

/** Writes of one command: encoding them holds the event loop, and carrying them out holds the embedded store. */
const WRITES_PER_COMMAND = 50;

async function writeByCollection(db: Db, writes: readonly Write[], session: ClientSession): Promise<void> {
  const byCollection = Map.groupBy(writes, ({ collectionName }) => collectionName);
  for (const [collectionName, own] of byCollection) {
    const models = own.map(({ operation: { name, ...operation } }) => ({ [name]: operation }));
    for (let from = 0; from < models.length; from += WRITES_PER_COMMAND) {
      const some = models.slice(from, from + WRITES_PER_COMMAND);
      await databaseOf(db)
        .collection(collectionName)
        .bulkWrite(some as unknown as mongo.AnyBulkWriteOperation[], { session, ordered: false });
    }
  }
}
