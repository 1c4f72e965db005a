import type { ClientSession, mongo } from 'mongoose';
import type { Row } from './collection.ts';

/** For more ids the embedded store takes longer per id: 18,000 at once 4.3 s (docs/stores.md). */
const IDS_AT_ONCE = 500;

/** The rows with these primary keys, in no order, as a transaction sees them where one is given. */
export async function findByIds<T extends Row>(
  rows: mongo.Collection<T>,
  ids: readonly string[],
  transaction: ClientSession | undefined,
): Promise<mongo.WithId<T>[]> {
  const found: mongo.WithId<T>[] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const named = { _id: { $in: ids.slice(from, from + IDS_AT_ONCE) } } as mongo.Filter<T>;
    found.push(...(await rows.find(named, transaction ? { session: transaction } : {}).toArray()));
  }
  return found;
}
