import { COLLECTIONS } from '../../shared/tables/collections.ts';
import type { TestContext } from './harness.ts';

/** The whole of the stores: each row and each Redis key by its name, byte for byte. */
export type Snapshot = Map<string, string>;

/** Keys of a queue that all of its jobs share: lists, counters and its log. */
const OF_A_QUEUE =
  /:(wait|delayed|active|paused|prioritized|completed|failed|events|meta|id|marker|stalled-check|pc)$/;
/** Keys of a shard of credits, which accounts of several organizations share. */
const OF_A_SHARD = /^\{c\d\d\}:(epoch|stream|replicated)$/;

export async function snapshot(ctx: TestContext): Promise<Snapshot> {
  const found: Snapshot = new Map();
  const read = COLLECTIONS.map(async ({ collectionName }) => {
    const rows = ctx.db.database.collection(collectionName).find({}, { raw: true });
    for (const row of (await rows.toArray()) as unknown as Buffer[])
      found.set(`${collectionName} ${idOf(row)}`, row.toString('latin1'));
  });
  await Promise.all([...read, readKeys(ctx, found)]);
  return found;
}

/** The primary key of a row as MongoDB sends it: its first field, a text (https://bsonspec.org/spec.html). */
function idOf(row: Buffer): string {
  const begin = '....t_id.....'.length;
  return row.toString('utf8', begin, begin + row.readInt32LE(begin - 4) - 1);
}

/** Returns the name, the content and the end of each key. */
const READ_KEYS = `
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  table.insert(found, { key, redis.call('DUMP', key), redis.call('PEXPIRETIME', key) })
end
return found`;

async function readKeys({ redis: { producer } }: TestContext, found: Snapshot): Promise<void> {
  const keys = (await producer.callBuffer('EVAL', READ_KEYS, '0')) as [Buffer, Buffer, number][];
  for (const [name, content, ends] of keys) {
    const key = name.toString();
    if (!OF_A_QUEUE.test(key) && !OF_A_SHARD.test(key))
      found.set(`redis ${key}`, `${content.toString('latin1')} ${ends}`);
  }
}

/** The names of what is not the same in two snapshots. */
export function differences(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).toSorted();
}
