import type { ClientSession, mongo } from 'mongoose';
import type { Row } from './collection.ts';

/** For more keys the embedded store takes longer per key: 18,000 at once 4.3 s (docs/stores.md). */
const KEYS_AT_ONCE = 500;

/** Asks for rows by keys, as many at once as the store takes well, and returns what all answers hold. */
export async function inSteps<Found>(
  keys: readonly string[],
  read: (some: string[]) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE)
    found.push(...(await read(keys.slice(from, from + KEYS_AT_ONCE))));
  return found;
}

/** The rows with these primary keys, or these fields of them, in no order, as a transaction sees them where one is given. */
export async function findByIds<T extends Row>(
  rows: mongo.Collection<T>,
  ids: readonly string[],
  transaction: ClientSession | undefined,
  projection?: Readonly<Record<string, 1>>,
): Promise<mongo.WithId<T>[]> {
  const options = { ...(transaction ? { session: transaction } : {}), ...(projection ? { projection } : {}) };
  return inSteps(ids, (some) => rows.find({ _id: { $in: some } } as mongo.Filter<T>, options).toArray());
}
