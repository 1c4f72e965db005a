import { type ClientSession, mongo } from 'mongoose';
import { refuseUndefined } from './collection.ts';
import { type Db, databaseOf } from './connect.ts';
import { addressIn, type Fields, omit, pick } from './embedded-filters.ts';
import type { Write } from './writes.ts';

/**
 * Writes of one command: encoding them holds the event loop, and carrying them out holds the embedded store. More than
 * these are several commands, each of one collection, which the embedded store carries out faster: 1,000 writes in 61 ms
 * instead of 84 to 119. A newer store that needs less passes the tests of this folder without it.
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
  const named = db.isEmbedded ? writes.map(byIdAlone) : writes;
  const isDelete = ({ operation }: Write) => operation.name === 'deleteMany';
  const deletes = named.filter(isDelete);
  const others = named.filter((write) => !isDelete(write));
  if (named.length > MOST_TOGETHER) {
    await writeByCollection(db, deletes, transaction);
    await writeByCollection(db, others, transaction);
  } else if (named.length > 0) {
    await writeTogether(db, [...deletes, ...others], transaction);
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

async function writeByCollection(db: Db, writes: readonly Write[], session: ClientSession): Promise<void> {
  for (const [collectionName, own] of Map.groupBy(writes, (write) => write.collectionName)) {
    const rows = databaseOf(db).collection(collectionName);
    const models = own.map(({ operation: { name, ...operation } }) => ({ [name]: operation }));
    for (let from = 0; from < models.length; from += MOST_TOGETHER) {
      const some = models.slice(from, from + MOST_TOGETHER) as unknown as mongo.AnyBulkWriteOperation[];
      await rows.bulkWrite(some, { session, ordered: false });
    }
  }
}
