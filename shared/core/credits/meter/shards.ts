import { z } from 'zod';
import type { Context } from '../../../platform/context/context.ts';
import { ALL_SHARDS, groupBySlot, shardKeys } from '../../../platform/redis/keys.ts';
import { runScript } from '../../../platform/redis/script.ts';
import { ledgerLag, pausedShards } from '../metrics.ts';
import { meterScript } from './call-meter.ts';

/**
 * A shard is one of the 64 parts of the accounts in Redis (`shardOf`). Its epoch names the data that it was opened for
 * (`identity.lua`). It is `open` while this Redis has that data; else it is `paused` and refuses spends, until a worker opens
 * it. A rebuild holds a shard by an epoch of its own, for a short lease.
 */
export const shardStatus = z.enum(['open', 'paused', 'held']);

/** The value that `identity()` of a script returns. */
export const dataIdentity = z.string().length(40);

export interface ShardState {
  shard: number;
  status: z.infer<typeof shardStatus>;
  /** Identity of the data that the shard's Redis holds. */
  identity: string;
  /** Entries that the ledger does not have yet, and how long the oldest has waited (ms, by Redis' clock). */
  length: number;
  waitedMs: number;
}

const readScript = meterScript('read-shards');
const states = z.array(z.tuple([shardStatus, dataIdentity, z.int(), z.int()]));

/**
 * The state of shards: one call, or in a cluster, where each lies in a slot of its own, one for each. Shards whose master
 * does not answer are left out. Throws when none answers.
 */
export async function readShardStates(
  ctx: Context,
  shards: readonly number[] = ALL_SHARDS,
): Promise<ShardState[]> {
  const groups = groupBySlot(ctx.redis.producer, shards);
  const reads = await Promise.allSettled(groups.map((group) => readTogether(ctx, group)));
  const answered = reads.flatMap((read) => (read.status === 'fulfilled' ? read.value : []));
  const failed = reads.find((read) => read.status === 'rejected');
  if (failed && answered.length === 0) throw failed.reason;
  return answered;
}

async function readTogether(ctx: Context, shards: readonly number[]): Promise<ShardState[]> {
  const keys = shards.map(shardKeys).flatMap(({ epoch, stream }) => [epoch, stream]);
  const answer = states.parse(await runScript(ctx.redis.producer, readScript, keys, []));
  return answer.map(([status, identity, length, waitedMs], index) => ({
    shard: shards[index] ?? 0,
    status,
    identity,
    length,
    waitedMs,
  }));
}

/** Reads the state of all shards and sets the gauges of the ledger's lag and of paused shards. Throws as `readShardStates`. */
export async function measureShards(ctx: Context): Promise<ShardState[]> {
  const all = await readShardStates(ctx);
  ledgerLag(ctx).set(Math.max(...all.map(({ waitedMs }) => waitedMs)) / 1_000);
  // Also those that a rebuild holds, and those whose Redis does not answer.
  pausedShards(ctx).set(ALL_SHARDS.length - all.filter(({ status }) => status === 'open').length);
  return all;
}

/** The shards that wait to be opened, with the identity of their data. */
export async function findPausedShards(ctx: Context): Promise<Map<number, string>> {
  const paused = (await readShardStates(ctx)).filter(({ status }) => status === 'paused');
  return new Map(paused.map(({ shard, identity }) => [shard, identity]));
}

/** A rebuild, and for how long it holds a shard at once. */
export interface Lease {
  holder: string;
  leaseMs: number;
}

/** Pauses a shard for a rebuild. Returns the identity of its data; throws while another rebuild holds it. */
export async function holdShard(ctx: Context, shard: number, { holder, leaseMs }: Lease): Promise<string> {
  const [status, identity] = await callEpoch(ctx, shard, ['hold', holder, leaseMs]);
  if (status !== 'held') throw new Error(`Another rebuild holds shard ${shard}; wait until it has ended`);
  return identity;
}

/** Holds a shard for as long again, if this rebuild still holds it. */
export async function renewHold(ctx: Context, shard: number, { holder, leaseMs }: Lease): Promise<void> {
  await callEpoch(ctx, shard, ['renew', holder, leaseMs]);
}

/** Releases a shard, if this rebuild still holds it: it is paused then, and any worker opens it. */
export async function releaseShard(ctx: Context, shard: number, holder: string): Promise<void> {
  await callEpoch(ctx, shard, ['release', holder]);
}

/**
 * Opens a shard for the data that was checked; returns whether it is open. Its stream continues behind the stream id
 * `after`, unless that is ''.
 */
export async function openShard(
  ctx: Context,
  shard: number,
  { identity, holder, after }: { identity: string; holder: string; after: string },
): Promise<boolean> {
  const [status] = await callEpoch(ctx, shard, ['open', holder, identity, after]);
  return status === 'open';
}

const epochScript = meterScript('epoch');
const epochReply = z.tuple([z.enum([...shardStatus.options, 'lost']), dataIdentity]);

async function callEpoch(ctx: Context, shard: number, args: (string | number)[]) {
  const { epoch, stream } = shardKeys(shard);
  return epochReply.parse(await runScript(ctx.redis.producer, epochScript, [epoch, stream], args));
}

/** The warning of `/readyz` about a Redis that may lose credits (docs/stores.md). */
export async function warnOfRedis(ctx: Context): Promise<string | null> {
  const info = await ctx.redis.producer.info('persistence', 'memory');
  const wrong = [
    ...(/^aof_enabled:0/m.test(info) ? ['appendonly is not yes'] : []),
    ...(/^maxmemory_policy:(?!noeviction)/m.test(info) ? ['maxmemory-policy is not noeviction'] : []),
  ];
  return wrong.length === 0 ? null : `Redis may lose credits: its ${wrong.join(', and its ')}.`;
}
