import type { Context } from '../../platform/context/context.ts';
import { ALL_SHARDS } from '../../platform/redis/keys.ts';
import { lookAtShards, type ShardLook } from '../meter/look-at-shards.ts';
import { ledgerLag, pausedShards } from '../metrics.ts';

/** Looks at all shards and sets the gauges of how far the ledger lags and how many are shut. Throws as `lookAtShards`. */
export async function measureShards(ctx: Context): Promise<ShardLook[]> {
  const looks = await lookAtShards(ctx);
  ledgerLag(ctx).set(Math.max(...looks.map(({ waitedMs }) => waitedMs)) / 1_000);
  // Also those that a rebuild holds, and those whose Redis does not answer.
  const open = looks.filter(({ state }) => state === 'open');
  pausedShards(ctx).set(ALL_SHARDS.length - open.length);
  return looks;
}
