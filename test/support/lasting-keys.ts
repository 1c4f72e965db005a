import type { RedisClient } from '../../shared/platform/redis/connect.ts';
import { LONGEST_LIVES_S } from '../../shared/platform/redis/keys.ts';

/** Returns the name of each key, and how long it lives from now on: milliseconds, -1 for ever. */
const READ_LIVES = `
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  table.insert(found, { key, redis.call('PTTL', key) })
end
return found`;

/** Keys of queues, by the prefix of a test's context or of a process. */
const OF_QUEUES = /^\{(t[0-9a-f]{12}|governor)[:}]/;

/** The keys of a Redis that have no kind, or live longer than their kind may. BullMQ's own do as it says. */
export async function findLasting(redis: RedisClient): Promise<string[]> {
  if (redis.isCluster || redis.status !== 'ready') return [];
  const lives = (await redis.call('EVAL', READ_LIVES, '0').catch(() => [])) as [key: string, ms: number][];
  return lives.flatMap(([key, ms]) => {
    if (OF_QUEUES.test(key)) return [];
    const [, mostS = 0] = LONGEST_LIVES_S.find(([pattern]) => pattern.test(key)) ?? [];
    const isShort = mostS === null || (ms >= 0 && ms <= mostS * 1_000);
    return isShort ? [] : [`${key} (${ms} ms)`];
  });
}
