import { z } from 'zod';
import type { Context } from '../../platform/context/context.ts';
import { ALL_SHARDS, shardKeys } from '../../platform/redis/keys.ts';
import { IDENTITY, loadScript, runScript } from '../../platform/redis/script.ts';
import { dataIdentity, EPOCH_STATE, type EpochState, epochStates } from './epoch.ts';

/** A shard as its Redis shows it now. */
export interface ShardLook {
  shard: number;
  state: EpochState;
  /** Of the data that the shard's Redis holds. */
  identity: string;
  /** Entries that the ledger does not have yet, and how long the oldest has waited (ms, by Redis' clock). */
  length: number;
  waitedMs: number;
}

const script = loadScript(IDENTITY, EPOCH_STATE, new URL('look-at-shards.lua', import.meta.url));
const reply = z.array(z.tuple([epochStates, dataIdentity, z.int(), z.int()]));

/**
 * The state of shards: one call, or in a cluster, where each lies in a slot of its own, one for each. Shards whose master
 * does not answer are left out. Throws when none answers.
 */
export async function lookAtShards(
  ctx: Context,
  shards: readonly number[] = ALL_SHARDS,
): Promise<ShardLook[]> {
  const together = ctx.redis.producer.isCluster ? shards.map((shard) => [shard]) : [shards];
  const looks = await Promise.allSettled(together.map((some) => look(ctx, some)));
  const seen = looks.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const failed = looks.find((one) => one.status === 'rejected');
  if (failed && seen.length === 0) throw failed.reason;
  return seen;
}

async function look(ctx: Context, shards: readonly number[]): Promise<ShardLook[]> {
  const keys = shards.flatMap((shard) => {
    const { epoch, stream } = shardKeys(shard);
    return [epoch, stream];
  });
  const answer = reply.parse(await runScript(ctx.redis.producer, script, keys, []));
  return answer.map(([state, identity, length, waitedMs], index) => ({
    shard: shards[index] ?? 0,
    state,
    identity,
    length,
    waitedMs,
  }));
}

/** The shards that wait to be opened, with the identity of their data. */
export async function shutShards(ctx: Context): Promise<Map<number, string>> {
  const looks = await lookAtShards(ctx);
  const shut = looks.filter(({ state }) => state === 'shut');
  return new Map(shut.map(({ shard, identity }) => [shard, identity]));
}
