import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context/context.ts';
import { ALL_SHARDS } from '../../platform/redis/keys.ts';
import { holdShard, type Lease, releaseShard, renewHold } from '../meter/epoch.ts';
import { readFences } from './fence.ts';
import { checkAndOpen, type Recovery } from './open-shards.ts';

/** A rebuild that is killed lets go of its shards after this long. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;

/**
 * Shuts every shard and puts all balances back to what the ledger says, whatever Redis holds. Throws when that was not
 * possible for a shard, because it was opened by someone else meanwhile or something of its ledger or stream is not
 * right: some of its balances may then be as they were, and it is let go, so that a worker opens it as it is. The others
 * are done. Throws before it has changed anything while another rebuild runs.
 */
export async function rebuildCredits(
  ctx: Context,
  { leaseMs = LEASE_MS, renewEveryMs = RENEW_EVERY_MS }: { leaseMs?: number; renewEveryMs?: number } = {},
): Promise<Recovery> {
  const fences = await readFences(ctx, ALL_SHARDS);
  const lease = { holder: randomUUID(), leaseMs };
  const held = new Map<number, string>();
  const renewing = setInterval(() => void renewHolds(ctx, held, lease), renewEveryMs);
  try {
    for (const shard of ALL_SHARDS) held.set(shard, await holdShard(ctx, shard, lease));
    const { failed, ...recovery } = await checkAndOpen(ctx, held, { ...lease, fences });
    const [cause] = failed.values();
    if (cause) {
      const which = [...failed.keys()].join(', ');
      throw new Error(`Not rebuilt: shards ${which}. ${cause.message}`, { cause });
    }
    return { ...recovery, failed: 0 };
  } finally {
    clearInterval(renewing);
    // Those that are open are not held any more.
    await Promise.all([...held.keys()].map((shard) => releaseShard(ctx, shard, lease.holder))).catch(
      (error: unknown) => ctx.log.warn({ err: error }, 'shards are held until the lease of the rebuild ends'),
    );
  }
}

/** Never throws: a hold that is lost is noticed by what is refused then. */
async function renewHolds(ctx: Context, held: ReadonlyMap<number, string>, lease: Lease): Promise<void> {
  await Promise.all([...held.keys()].map((shard) => renewHold(ctx, shard, lease))).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'the shards that are rebuilt were not held for longer'),
  );
}
