import type { Context } from '../platform/context/context.ts';
import { ALL_SHARDS, shardKeys } from '../platform/redis/keys.ts';
import { type OutboxEntry, readEntries } from './outbox.ts';
import { redisNow } from './redis-time.ts';

/** Entries of all shards together that one transaction takes. */
const BATCH = 1_000;

/** How many entries each of these shards' streams holds. */
export async function lengthsOf(ctx: Context, shards: readonly number[]): Promise<Map<number, number>> {
  const lengths = shards.map(
    async (shard) => [shard, await ctx.redis.producer.xlen(shardKeys(shard).outbox)] as const,
  );
  return new Map(await Promise.all(lengths));
}

/** How many entries of each shard a round takes: the same of all, and what one does not need goes to the others. */
export function shareOut(lengths: ReadonlyMap<number, number>): Map<number, number> {
  const ascending = [...lengths].filter(([, length]) => length > 0).sort(([, one], [, other]) => one - other);
  const shares = new Map<number, number>();
  let rest = BATCH;
  for (const [shard, length] of ascending) {
    const share = Math.min(length, Math.ceil(rest / (ascending.length - shares.size)));
    shares.set(shard, share);
    rest -= share;
  }
  return shares;
}

/** The oldest entries of a shard, `most` of them, that come after a stream id; up to one that cannot be read. */
export async function readStream(
  ctx: Context,
  shard: number,
  { after, most }: { after: string | undefined; most: number },
): Promise<{ entries: OutboxEntry[]; problem: Error | null }> {
  const from = after === undefined ? '-' : `(${after}`;
  return readEntries(await ctx.redis.producer.xrange(shardKeys(shard).outbox, from, '+', 'COUNT', most));
}

/** How long the oldest entry of all has waited, in ms, by Redis alone. Throws when that cannot be had. */
export async function measureLag(ctx: Context): Promise<number> {
  const waits = ALL_SHARDS.map(async (shard) => {
    const { outbox } = shardKeys(shard);
    const [oldest] = await ctx.redis.producer.xrange(outbox, '-', '+', 'COUNT', 1);
    // A stream id begins with Redis' time.
    return oldest ? (await redisNow(ctx, shard)) - Number(oldest[0].split('-')[0]) : 0;
  });
  return Math.max(0, ...(await Promise.all(waits)));
}
