import type { Context } from '../../platform/context/context.ts';
import { ALL_SHARDS, shardKeys } from '../../platform/redis/keys.ts';
import { meterScript } from '../meter/call-meter.ts';
import { redisNow } from '../meter/redis-time.ts';
import { readEntries, type StreamEntry } from './stream-entry.ts';

const lookScript = meterScript('look-at-epoch');

/** Entries of all shards together that one transaction takes. */
const BATCH = 1_000;

/** How many entries each of these shards' streams holds. */
export async function lengthsOf(ctx: Context, shards: readonly number[]): Promise<Map<number, number>> {
  const lengths = shards.map(
    async (shard) => [shard, await ctx.redis.producer.xlen(shardKeys(shard).stream)] as const,
  );
  return new Map(await Promise.all(lengths));
}

/** The shards that have something to project. */
export async function shardsWithEntries(ctx: Context): Promise<number[]> {
  const lengths = await lengthsOf(ctx, ALL_SHARDS);
  return ALL_SHARDS.filter((shard) => (lengths.get(shard) ?? 0) > 0);
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

export interface StreamRead {
  entries: StreamEntry[];
  /** Why the entry after these cannot be read. */
  problem: Error | null;
  /** Identity of the data that they were read from, and whether the shard is open for it. */
  identity: string;
  isOpen: boolean;
}

/** The oldest entries of a shard, `most` of them, that come after a stream id; up to one that cannot be read. */
export async function readStream(
  ctx: Context,
  shard: number,
  { after, most }: { after: string | undefined; most: number },
): Promise<StreamRead> {
  const { epoch, stream } = shardKeys(shard);
  const from = after === undefined ? '-' : `(${after}`;
  // One connection, the entries first: data that got older in between has another identity.
  const replies = await ctx.redis.producer
    .pipeline()
    .xrange(stream, from, '+', 'COUNT', most)
    .eval(lookScript.source, 1, epoch)
    .exec();
  const [found, look] = (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  }) as [[string, string[]][], [state: string, identity: string]];
  const [state, identity] = look;
  return { ...readEntries(found), identity, isOpen: state === 'open' };
}

/** How long the oldest entry of all has waited, in ms, by Redis alone. Throws when that cannot be had. */
export async function measureLag(ctx: Context): Promise<number> {
  const waits = ALL_SHARDS.map(async (shard) => {
    const { stream } = shardKeys(shard);
    const [oldest] = await ctx.redis.producer.xrange(stream, '-', '+', 'COUNT', 1);
    // A stream id begins with Redis' time.
    return oldest ? (await redisNow(ctx, shard)) - Number(oldest[0].split('-')[0]) : 0;
  });
  return Math.max(0, ...(await Promise.all(waits)));
}
