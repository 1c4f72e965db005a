import { type ClientSession, mongo } from 'mongoose';
import {
  type CollectionDeclaration,
  type DeclaredCollection,
  type Row,
  refuseUndefined,
} from './collection.ts';
import type { Db } from './connect.ts';
import { addressIn, type Fields, omit, pick } from './embedded-filters.ts';
import { noteConflict } from './go-ahead.ts';

/** One write as data: what a pure plan returns instead of writing. */
export interface Write {
  readonly collectionName: string;
  /** Its fields may stand beside `_id` in the filter: they say on which shard the row is, and are no condition. */
  readonly shardKey: readonly string[];
  readonly operation: Operation;
  /**
   * The update of its row, committed alone, that has others let this transaction go first. It is carried out before another
   * attempt, once one has met a conflict.
   */
  readonly ahead?: mongo.UpdateFilter<mongo.Document>;
}

type Operation =
  | { name: 'insertOne'; document: object }
  | { name: 'updateOne'; filter: object; update: object; upsert?: boolean }
  | { name: 'replaceOne'; filter: object; replacement: object; upsert?: boolean }
  | { name: 'deleteMany'; filter: object };

/** A write that inserts a row. The whole plan fails with a duplicate key when the row is there already. */
export function insertRow<T extends Row>(into: DeclaredCollection<T>, row: T): Write {
  return write(into, { name: 'insertOne', document: row });
}

/** A write that updates one row; with `upsert` the row comes into being when it is missing. */
export function updateRow<T extends Row>(
  of: DeclaredCollection<T>,
  filter: mongo.Filter<T>,
  update: mongo.UpdateFilter<T> | mongo.Document[],
  options: { upsert?: boolean } = {},
): Write {
  return write(of, { name: 'updateOne', filter, update, ...options });
}

/** A write that puts a row in the place of the one with its `_id`; with `upsert` also when there is none. */
export function replaceRow<T extends Row>(
  of: DeclaredCollection<T>,
  row: T,
  options: { upsert?: boolean } = {},
): Write {
  const named = new Set(['_id', ...Object.keys(of.shardKey ?? {})]);
  const filter = Object.fromEntries(Object.entries(row).filter(([name]) => named.has(name)));
  return write(of, { name: 'replaceOne', filter, replacement: row, ...options });
}

/** A write that deletes every row that matches. */
export function deleteRows<T extends Row>(from: DeclaredCollection<T>, filter: mongo.Filter<T>): Write {
  return write(from, { name: 'deleteMany', filter });
}

function write({ collectionName, shardKey }: CollectionDeclaration, operation: Operation): Write {
  return { collectionName, shardKey: Object.keys(shardKey ?? {}), operation };
}

/**
 * Writes of one command: encoding them holds the event loop, and carrying them out holds the embedded store. More than
 * these are several commands, each of one collection, which the embedded store carries out faster: 1,000 writes in 61 ms
 * instead of 84 to 119. MongoDB takes all as one, which holds the rows for a shorter time. A newer embedded store that needs
 * less passes the tests of this folder without it.
 */
const MOST_TOGETHER = 50;

/**
 * Carries out writes of any collections within a transaction: deletes first, then no order is promised. A few are one
 * command, which the embedded store refuses as the first one of a transaction: read something before.
 */
export async function applyWrites(
  { db }: { db: Db },
  writes: readonly Write[],
  transaction: ClientSession,
): Promise<void> {
  for (const { operation } of writes) if ('filter' in operation) refuseUndefined(operation.filter, 'filter');
  const named = db.isEmbedded || db.isOneSet ? writes.map(byIdAlone) : writes;
  const isDelete = ({ operation }: Write) => operation.name === 'deleteMany';
  const deletes = named.filter(isDelete);
  const others = named.filter((write) => !isDelete(write));
  try {
    if (db.isEmbedded && named.length > MOST_TOGETHER) {
      await writeByCollection(db, deletes, transaction);
      await writeByCollection(db, others, transaction);
    } else if (named.length > 0) {
      await writeTogether(db, [...deletes, ...others], transaction);
    }
  } catch (error) {
    noteConflict(error, named, transaction);
    throw error;
  }
}

/** A write that names its row by the id alone. An upsert sets the other fields of its filter, as MongoDB would. */
function byIdAlone(write: Write): Write {
  const { operation, shardKey } = write;
  if (operation.name === 'insertOne') return write;
  const given = operation.filter as Fields;
  const address = addressIn(given, shardKey);
  const filter = omit(given, address);
  if (operation.name !== 'updateOne' || !operation.upsert || address.length === 0)
    return { ...write, operation: { ...operation, filter } };
  const { $setOnInsert, ...update } = operation.update as { $setOnInsert?: object };
  const inserted = { ...pick(given, address), ...$setOnInsert };
  return { ...write, operation: { ...operation, filter, update: { ...update, $setOnInsert: inserted } } };
}

async function writeTogether(db: Db, writes: readonly Write[], session: ClientSession): Promise<void> {
  const { databaseName } = db.database;
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
 * The error of the command or of the write that failed, as every other operation would throw it: the driver hides its
 * code and its labels. MongoDB answers a conflict for the whole command, with the label that makes the transaction run
 * again; the embedded store answers it for one write, without.
 */
function firstErrorOf(error: mongo.MongoClientBulkWriteError): Error {
  const [failed] = error.writeErrors.values();
  if (!failed) return error.cause instanceof mongo.MongoError ? error.cause : error;
  const { code, message } = failed;
  const errorLabels = code === WRITE_CONFLICT ? ['TransientTransactionError'] : [];
  return new mongo.MongoServerError({ message, code, errorLabels });
}

/**
 * Each collection's writes by kind, since the driver sends one command for those of one kind that follow each other. In
 * order, so that none follows one that failed: the error of a transaction that is gone would hide a duplicate key.
 */
async function writeByCollection(db: Db, writes: readonly Write[], session: ClientSession): Promise<void> {
  for (const [collectionName, own] of Map.groupBy(writes, (write) => write.collectionName)) {
    const rows = db.database.collection(collectionName);
    const byKind = [...Map.groupBy(own, ({ operation }) => operation.name).values()].flat();
    const models = byKind.map(({ operation: { name, ...operation } }) => ({ [name]: operation }));
    for (let from = 0; from < models.length; from += MOST_TOGETHER) {
      const some = models.slice(from, from + MOST_TOGETHER) as unknown as mongo.AnyBulkWriteOperation[];
      await rows.bulkWrite(some, { session, ordered: true });
    }
  }
}
