import { mongo } from 'mongoose';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import type { TestContext } from './harness.ts';

/** The whole of the stores: each row and each Redis key by its name, as text that is the same while it is. */
export type Snapshot = Map<string, string>;

/** Keys of a queue that all of its jobs share: lists, counters and its log. */
const OF_A_QUEUE =
  /:(wait|delayed|active|paused|prioritized|completed|failed|events|meta|id|marker|stalled-check|pc)$/;
/** Keys of a shard of credits, which accounts of several organizations share. */
const OF_A_SHARD = /^\{c\d\d\}:(epoch|stream|replicated)$/;

export async function snapshot(ctx: TestContext): Promise<Snapshot> {
  const found: Snapshot = new Map();
  const read = COLLECTIONS.map(async ({ collectionName }) => {
    const rows = await ctx.db.database.collection(collectionName).find({}).toArray();
    for (const row of rows)
      found.set(`${collectionName} ${String(row._id)}`, mongo.BSON.EJSON.stringify(row, { relaxed: false }));
  });
  await Promise.all([...read, readKeys(ctx, found)]);
  return found;
}

async function readKeys({ redis: { producer } }: TestContext, found: Snapshot): Promise<void> {
  const keys = (await producer.keys('*')).filter((key) => !OF_A_QUEUE.test(key) && !OF_A_SHARD.test(key));
  const read = keys.map(async (key) => {
    const [dump, until] = await Promise.all([producer.dumpBuffer(key), producer.pexpiretime(key)]);
    if (dump) found.set(`redis ${key}`, `${dump.toString('base64')} ${until}`);
  });
  await Promise.all(read);
}

/** The names of what is not the same in two snapshots. */
export function differences(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).toSorted();
}
