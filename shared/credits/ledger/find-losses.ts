import type { Context } from '../../platform/context/context.ts';
import { shardKeys } from '../../platform/redis/keys.ts';
import type { Fence } from './fence.ts';
import { isEarlier } from './stream-entry.ts';

/** The shards whose stream ends before what the ledger has of it, each with a stream id beyond both. */
export async function findLosses(
  ctx: Context,
  fences: ReadonlyMap<number, Fence>,
): Promise<Map<number, string>> {
  const losses = new Map<number, string>();
  for (const [shard, { last_id }] of fences) {
    if (!isEarlier(await lastStreamId(ctx, shard), last_id)) continue;
    const [ms = '0'] = last_id.split('-');
    losses.set(shard, `${Number(ms) + 1}-0`);
  }
  return losses;
}

async function lastStreamId(ctx: Context, shard: number): Promise<string> {
  const { stream } = shardKeys(shard);
  if ((await ctx.redis.producer.exists(stream)) === 0) return '0-0';
  const info = (await ctx.redis.producer.xinfo('STREAM', stream)) as unknown[];
  return String(info[info.indexOf('last-generated-id') + 1]);
}
