import type { Context } from '../../platform/context/context.ts';
import { ALL_SHARDS, shardKeys } from '../../platform/redis/keys.ts';
import { openShard } from '../meter/epoch.ts';
import { shutShards } from '../meter/look-at-shards.ts';
import { bindFences, type Fence, readFences } from './fence.ts';
import { drainStreams } from './project-ledger.ts';
import { restoreAccounts } from './restore-accounts.ts';
import { isEarlier } from './stream-entry.ts';

export interface Recovery {
  /** Shards that were opened. */
  opened: number;
  /** Shards of which Redis had lost something, so that they were rebuilt from the ledger. */
  rebuilt: number;
  accounts: number;
  /** Shards that stay shut because something of theirs is not right; the log says what. */
  failed: number;
}

/** Why shards could not be put right, by shard. */
export type Failures = Map<number, Error>;

/**
 * Opens the shards that are shut: after a start or a failover of Redis, that is all of them. What the streams still hold
 * goes to the ledger first; a Redis that ends earlier than the ledger is rebuilt from it; accounts, devices and
 * revocations are put right from MongoDB; then each shard opens, for the very data that was checked. Any process may do
 * it, several may at once.
 */
export async function recoverCredits(ctx: Context): Promise<Recovery> {
  const fences = await readFences(ctx, ALL_SHARDS);
  const shut = await shutShards(ctx);
  if (shut.size === 0) return { opened: 0, rebuilt: 0, accounts: 0, failed: 0 };
  ctx.log.info({ shards: shut.size }, 'credits are checked against the ledger');
  const { failed, ...recovery } = await checkAndOpen(ctx, shut, { holder: '', fences });
  for (const [shard, error] of failed)
    ctx.log.error({ err: error, shard }, 'a shard of the credits stays shut');
  return { ...recovery, failed: failed.size };
}

/**
 * Checks shards against the ledger and opens those that are right. `shards` has the identity of the data of each, and
 * `fences` were read before that. With a `holder`, a rebuild that holds the shards, every balance is put back to what the
 * ledger says.
 */
export async function checkAndOpen(
  ctx: Context,
  shards: ReadonlyMap<number, string>,
  { holder, fences }: { holder: string; fences: ReadonlyMap<number, Fence> },
): Promise<Omit<Recovery, 'failed'> & { failed: Failures }> {
  const all = [...shards.keys()];
  const stuck = await drainStreams(ctx, all);
  const bound = await bindFences(ctx, shards, fences);
  const losses = await findLosses(ctx, bound);
  const rebuilding = new Set(holder === '' ? losses.keys() : all);
  // What is rebuilt must be in the ledger whole. A shard that lost nothing goes on as it is, its entries wait.
  const failed: Failures = new Map([...stuck].filter(([shard]) => rebuilding.has(shard)));
  const overtaken = all.filter((shard) => bound.get(shard)?.epoch !== shards.get(shard));
  for (const shard of overtaken) failed.set(shard, new Error('Its ledger was bound to other data meanwhile'));
  const accounts = await restoreAccounts(ctx, { shards: new Set(all), rebuilding, failed, holder });
  let opened = 0;
  for (const [shard, identity] of shards) {
    if (failed.has(shard)) continue;
    const beyond = losses.get(shard) ?? '';
    if (await openShard(ctx, shard, { identity, holder, beyond })) opened += 1;
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
