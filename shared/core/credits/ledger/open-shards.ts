import { randomUUID } from 'node:crypto';
import { every } from '../../../platform/basics/every.ts';
import type { Context } from '../../../platform/context/context.ts';
import { ALL_SHARDS, shardKeys } from '../../../platform/redis/keys.ts';
import {
  findPausedShards,
  holdShard,
  type Lease,
  openShard,
  releaseShard,
  renewHold,
} from '../meter/shards.ts';
import { bindFences, type Fence, readFences } from './fence.ts';
import { drainStreams } from './project-ledger.ts';
import { restoreAccounts } from './restore-accounts.ts';
import { isEarlier } from './stream.ts';

export interface Recovery {
  opened: number;
  /** Shards of which Redis had lost something, so that they were rebuilt from the ledger. */
  rebuilt: number;
  accounts: number;
  /** Shards that stay paused because something of theirs is not right; the log says what. */
  failed: number;
}

/**
 * Opens the shards that are paused: after a start or a failover of Redis, that is all of them. The entries that the streams
 * still hold go to the ledger first; a Redis that ends earlier than the ledger is rebuilt from it; accounts, devices and
 * revocations are corrected from MongoDB; then each shard opens, for the very data that was checked. Any process may do
 * it, several may at once.
 */
export async function recoverCredits(ctx: Context): Promise<Recovery> {
  const fences = await readFences(ctx, ALL_SHARDS);
  const paused = await findPausedShards(ctx);
  if (paused.size === 0) return { opened: 0, rebuilt: 0, accounts: 0, failed: 0 };
  ctx.log.info({ shards: paused.size }, 'credits are checked against the ledger');
  const { failed, ...recovery } = await checkAndOpen(ctx, paused, { holder: '', fences });
  for (const [shard, error] of failed)
    ctx.log.error({ err: error, shard }, 'a shard of the credits stays paused');
  return { ...recovery, failed: failed.size };
}

/** A rebuild that is killed loses its shards after this long. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;

/**
 * Pauses every shard and puts all balances back to what the ledger says, whatever Redis holds. Throws when that was not
 * possible for a shard, because another process opened it meanwhile or something of its ledger or stream is not
 * right: some of its balances may then be as they were, and it is released, so that a worker opens it as it is. The others
 * are done. Throws before it has changed anything while another rebuild runs.
 */
export async function rebuildCredits(
  ctx: Context,
  {
    leaseMs = LEASE_MS,
    renewEveryMs = RENEW_EVERY_MS,
    onAccount,
  }: { leaseMs?: number; renewEveryMs?: number; onAccount?: (done: number) => void } = {},
): Promise<Recovery> {
  const fences = await readFences(ctx, ALL_SHARDS);
  const lease = { holder: randomUUID(), leaseMs };
  const held = new Map<number, string>();
  const stopRenewing = every(renewEveryMs, () => renewHolds(ctx, held, lease));
  try {
    for (const shard of ALL_SHARDS) held.set(shard, await holdShard(ctx, shard, lease));
    const { failed, ...recovery } = await checkAndOpen(ctx, held, { ...lease, fences, onAccount });
    const [cause] = failed.values();
    if (cause) {
      const which = [...failed.keys()].join(', ');
      throw new Error(`Not rebuilt: shards ${which}. ${cause.message}`, { cause });
    }
    return { ...recovery, failed: 0 };
  } finally {
    await stopRenewing();
    // Those that are open are not held any more.
    await Promise.all([...held.keys()].map((shard) => releaseShard(ctx, shard, lease.holder))).catch(
      (error: unknown) => ctx.log.warn({ err: error }, 'shards are held until the lease of the rebuild ends'),
    );
  }
}

/** Never throws: a hold that is lost shows when the shard is opened. */
async function renewHolds(ctx: Context, held: ReadonlyMap<number, string>, lease: Lease): Promise<void> {
  await Promise.all([...held.keys()].map((shard) => renewHold(ctx, shard, lease))).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'the lease of the shards that are rebuilt was not renewed'),
  );
}

/**
 * Checks shards against the ledger and opens those that are right. `shards` has the identity of the data of each, and
 * `fences` were read before that. With a `holder`, a rebuild that holds the shards, every balance is put back to what the
 * ledger says. Returns also why shards failed, by shard.
 */
async function checkAndOpen(
  ctx: Context,
  shards: ReadonlyMap<number, string>,
  {
    holder,
    fences,
    onAccount,
  }: {
    holder: string;
    fences: ReadonlyMap<number, Fence>;
    onAccount?: ((done: number) => void) | undefined;
  },
): Promise<Omit<Recovery, 'failed'> & { failed: Map<number, Error> }> {
  const all = [...shards.keys()];
  const stalled = await drainStreams(ctx, all);
  const bound = await bindFences(ctx, shards, fences);
  const losses = await findLosses(ctx, bound);
  const rebuilding = new Set(holder === '' ? losses.keys() : all);
  // A shard that is rebuilt must be in the ledger whole. One that lost nothing goes on as it is, its entries wait.
  const failed = new Map([...stalled].filter(([shard]) => rebuilding.has(shard)));
  const overtaken = all.filter((shard) => bound.get(shard)?.epoch !== shards.get(shard));
  for (const shard of overtaken) failed.set(shard, new Error('Its ledger was bound to other data meanwhile'));
  const restoration = { shards: new Set(all), rebuilding, failed, holder, onAccount };
  const accounts = await restoreAccounts(ctx, restoration);
  let opened = 0;
  for (const [shard, identity] of shards) {
    if (failed.has(shard)) continue;
    const after = losses.get(shard) ?? '';
    if (await openShard(ctx, shard, { identity, holder, after })) opened += 1;
  }
  const rebuilt = [...rebuilding].filter((shard) => !failed.has(shard)).length;
  ctx.log.info({ opened, rebuilt, accounts, failed: failed.size }, 'credits are open');
  return { opened, rebuilt, accounts, failed };
}

/** The shards whose stream ends before what the ledger has of it, each with a stream id beyond both. */
async function findLosses(ctx: Context, fences: ReadonlyMap<number, Fence>): Promise<Map<number, string>> {
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
