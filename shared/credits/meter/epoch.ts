import { z } from 'zod';
import type { Context } from '../../platform/context/context.ts';
import { ALL_SHARDS, shardKeys } from '../../platform/redis/keys.ts';
import { runScript, type Script } from '../../platform/redis/script.ts';
import { meterScript } from './call-meter.ts';

/**
 * The epoch of a shard names the data that the shard was opened for: the Redis process and the replication history that
 * it was in. While this Redis' data has another identity, nothing is spent. A rebuild holds a shard by an epoch of its
 * own, for a short lease.
 */
export type EpochState = 'open' | 'shut' | 'held';

const scripts = {
  look: meterScript('look-at-epoch'),
  hold: meterScript('hold-epoch'),
  open: meterScript('open-epoch'),
  release: meterScript('release-epoch'),
};
const reply = z.tuple([z.enum(['open', 'shut', 'held', 'lost']), z.string().length(81)]);

interface EpochLook {
  shard: number;
  state: EpochState;
  /** Of the data that the shard's Redis holds. */
  identity: string;
}

/** The state of one shard. */
export async function lookAtEpoch(ctx: Context, shard: number): Promise<EpochLook> {
  const [state, identity] = await callEpoch(ctx, scripts.look, shard, []);
  return { shard, state: state as EpochState, identity };
}

/** The state of every shard. */
export async function lookAtEpochs(ctx: Context): Promise<EpochLook[]> {
  return Promise.all(ALL_SHARDS.map((shard) => lookAtEpoch(ctx, shard)));
}

/** The shards that wait to be opened, with the identity of their data. */
export async function shutShards(ctx: Context): Promise<Map<number, string>> {
  const looks = await lookAtEpochs(ctx);
  const shut = looks.filter(({ state }) => state === 'shut');
  return new Map(shut.map(({ shard, identity }) => [shard, identity]));
}

/** Shuts a shard for a rebuild. Returns the identity of its data; throws while another rebuild holds it. */
export async function holdShard(
  ctx: Context,
  shard: number,
  { holder, leaseMs }: { holder: string; leaseMs: number },
): Promise<string> {
  const [state, identity] = await callEpoch(ctx, scripts.hold, shard, [holder, leaseMs, '']);
  if (state !== 'held') throw new Error(`Another rebuild holds shard ${shard}; wait until it has ended`);
  return identity;
}

/** Holds a shard for as long again, if this rebuild still holds it. */
export async function renewHold(
  ctx: Context,
  shard: number,
  { holder, leaseMs }: { holder: string; leaseMs: number },
): Promise<void> {
  await callEpoch(ctx, scripts.hold, shard, [holder, leaseMs, 'renew']);
}

/** Lets go of a shard, if this rebuild still holds it: it is shut then, and any worker opens it. */
export async function releaseShard(ctx: Context, shard: number, holder: string): Promise<void> {
  await callEpoch(ctx, scripts.release, shard, [holder]);
}

/**
 * Opens a shard for the data that was checked; returns whether it is open. `beyond` is a stream id that its stream must
 * be beyond from now on.
 */
export async function openShard(
  ctx: Context,
  shard: number,
  { identity, holder, beyond }: { identity: string; holder: string; beyond: string },
): Promise<boolean> {
  const [state] = await callEpoch(ctx, scripts.open, shard, [identity, holder, beyond]);
  return state === 'open';
}

async function callEpoch(ctx: Context, script: Script, shard: number, args: (string | number)[]) {
  const { epoch, stream } = shardKeys(shard);
  return reply.parse(await runScript(ctx.redis.producer, script, [epoch, stream], args));
}
