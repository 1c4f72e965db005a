import { DomainError } from '../basics/errors.ts';
import type { Context } from './context.ts';
import { perContext } from './per-context.ts';

/** Less than the meter's client waits for any command. */
const PATIENCE_MS = 500;

/** One wait is under way per Redis, in a cluster per slot; those that come meanwhile share the next. */
interface Waits {
  current: Promise<void> | null;
  next: Promise<void> | null;
}
const waitsOf = perContext(() => new Map<string, Waits>());

/**
 * Resolves when everything that was written to the slot of `key` so far is on `REDIS_WAIT_REPLICAS` replicas; at once when
 * that is 0. `key` is written for this and holds nothing. Throws `outcome_unknown` when it is not there in time: what was
 * written may or may not outlive a failover.
 */
export async function untilReplicated(ctx: Context, key: string): Promise<void> {
  if (ctx.config.redisWaitReplicas === 0) return;
  const all = waitsOf(ctx);
  const node = ctx.redis.meter.isCluster ? key : '';
  const waits = all.get(node) ?? { current: null, next: null };
  all.set(node, waits);
  const begin = () => {
    waits.current = waitForReplicas(ctx, key).finally(() => {
      waits.current = null;
      if (!waits.next) all.delete(node);
    });
    return waits.current;
  };
  if (!waits.current) return begin();
  // The wait that is under way may have begun before the write.
  waits.next ??= waits.current
    .catch(() => undefined)
    .then(() => {
      waits.next = null;
      return begin();
    });
  return waits.next;
}

/** WAIT covers what its own connection wrote, so a small write goes ahead of it that comes after all others. */
async function waitForReplicas(ctx: Context, key: string): Promise<void> {
  const wanted = ctx.config.redisWaitReplicas;
  const replies = await ctx.redis.meter
    .pipeline()
    .set(key, '')
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
