import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { perContext } from '../../platform/context/per-context.ts';
import { shardKeys } from '../../platform/redis/keys.ts';

/** Less than the meter's client waits for any command. */
const PATIENCE_MS = 500;

/** One wait is under way per Redis; those that come meanwhile share the next. */
interface Waits {
  current: Promise<void> | null;
  next: Promise<void> | null;
}
const waitsOf = perContext(() => new Map<number, Waits>());

/**
 * Resolves when everything that was written to a shard so far is on `REDIS_WAIT_REPLICAS` replicas; at once when that is
 * 0. Throws `outcome_unknown` when it is not there in time: what was written may or may not outlive a failover.
 */
export async function untilReplicated(ctx: Context, shard: number): Promise<void> {
  if (ctx.config.redisWaitReplicas === 0) return;
  const key = ctx.redis.meter.isCluster ? shard : 0;
  const waits = waitsOf(ctx).get(key) ?? { current: null, next: null };
  waitsOf(ctx).set(key, waits);
  if (!waits.current) return begin(ctx, shard, waits);
  // The wait that is under way may have begun before the write.
  waits.next ??= waits.current
    .catch(() => undefined)
    .then(() => {
      waits.next = null;
      return begin(ctx, shard, waits);
    });
  return waits.next;
}

function begin(ctx: Context, shard: number, waits: Waits): Promise<void> {
  const waiting = waitForReplicas(ctx, shard).finally(() => {
    waits.current = null;
  });
  waits.current = waiting;
  return waiting;
}

/** WAIT covers what its own connection wrote, so a small write goes ahead of it that comes after all others. */
async function waitForReplicas(ctx: Context, shard: number): Promise<void> {
  const wanted = ctx.config.redisWaitReplicas;
  const replies = await ctx.redis.meter
    .pipeline()
    .set(shardKeys(shard).replicated, '')
    .wait(wanted, PATIENCE_MS)
    .exec()
    .catch(() => null);
  const [failed, count] = replies?.at(-1) ?? [new Error('no answer'), 0];
  const isThere = replies?.every(([error]) => error === null) === true && !failed && Number(count) >= wanted;
  if (isThere) return;
  throw new DomainError(
    'outcome_unknown',
    'Too few replicas of Redis have it yet. Repeat the request with the same key.',
  );
}
