import { z } from 'zod';
import type { Context } from '../../platform/context/context.ts';
import { shardKeys } from '../../platform/redis/keys.ts';
import { runScript, type Script } from '../../platform/redis/script.ts';
import { meterScript } from './call-meter.ts';

/**
 * The epoch of a shard names the data that the shard was opened for (`identity.lua`). While this Redis' data has another
 * identity, nothing is spent. A rebuild holds a shard by an epoch of its
 * own, for a short lease.
 */
export const epochStates = z.enum(['open', 'shut', 'held']);
export type EpochState = z.infer<typeof epochStates>;

/** What `identity()` of a script returns. */
export const dataIdentity = z.string().length(40);

/** What a script begins with that asks for the state of an epoch (`epoch_state()`). */
export const EPOCH_STATE = new URL('epoch-state.lua', import.meta.url);

const scripts = {
  hold: meterScript('hold-epoch'),
  open: meterScript('open-epoch'),
  release: meterScript('release-epoch'),
};
const reply = z.tuple([z.enum([...epochStates.options, 'lost']), dataIdentity]);

/** A rebuild, and for how long it holds a shard at once. */
export interface Lease {
  holder: string;
  leaseMs: number;
}

/** Shuts a shard for a rebuild. Returns the identity of its data; throws while another rebuild holds it. */
export async function holdShard(ctx: Context, shard: number, { holder, leaseMs }: Lease): Promise<string> {
  const [state, identity] = await callEpoch(ctx, scripts.hold, shard, [holder, leaseMs, '']);
  if (state !== 'held') throw new Error(`Another rebuild holds shard ${shard}; wait until it has ended`);
  return identity;
}

/** Holds a shard for as long again, if this rebuild still holds it. */
export async function renewHold(ctx: Context, shard: number, { holder, leaseMs }: Lease): Promise<void> {
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
