import type { ClientSession, mongo } from 'mongoose';
import { within } from '../basics/within.ts';
import type { Db } from './connect.ts';

/** As much of a planned write as this needs. */
interface Planned {
  readonly collectionName: string;
  readonly operation: { name: string; filter?: object; upsert?: boolean };
  readonly ahead?: mongo.UpdateFilter<mongo.Document>;
}

/** Transactions that have met a conflict, with those of their writes that have an `ahead`. */
const losers = new WeakMap<ClientSession, readonly Planned[]>();

/** A row that is held for longer is not waited for: the attempt goes on without. Milliseconds. */
const AHEAD_MS = 500;

/** Notes after a failed write that the next attempt of the transaction goes ahead of others, if it was a conflict. */
export function noteConflict(error: unknown, writes: readonly Planned[], transaction: ClientSession): void {
  const isConflict = (error as mongo.MongoError).hasErrorLabel?.('TransientTransactionError') === true;
  const own = writes.filter(({ ahead }) => ahead !== undefined);
  if (isConflict && own.length > 0) losers.set(transaction, own);
}

/** Carries out what has others let this transaction go first, before an attempt reads. It never fails. */
export async function goAhead(db: Db, transaction: ClientSession): Promise<void> {
  const writes = losers.get(transaction) ?? [];
  losers.delete(transaction);
  const byCollection = Map.groupBy(writes, ({ collectionName }) => collectionName);
  const carriedOut = [...byCollection].map(([name, own]) =>
    db.database.collection(name).bulkWrite(own.flatMap(aheadOf), { ordered: false }),
  );
  if (carriedOut.length > 0)
    await within(AHEAD_MS, 'Going ahead', Promise.all(carriedOut)).catch(() => undefined);
}

function aheadOf({ operation: { filter, upsert = false }, ahead }: Planned): mongo.AnyBulkWriteOperation[] {
  return ahead && filter ? [{ updateOne: { filter, update: ahead, upsert } }] : [];
}
