import { DomainError } from '../basics/errors.ts';
import { slotName } from '../redis/slots.ts';
import type { Context } from './context.ts';

/** Less than the meter's client waits for any command. */
const PATIENCE_MS = 500;

/**
 * Resolves when everything that was written to the slot of `key` so far is on `REDIS_WAIT_REPLICAS` replicas; at once when
 * that is 0. `key` is written for this and holds nothing. Throws `outcome_unknown` when it is not there in time: what was
 * written may or may not outlive a failover.
 */
export async function untilReplicated(ctx: Context, key: string): Promise<void> {
  if (ctx.config.redisWaitReplicas === 0) return;
  // A wait that is under way may have begun before the write: the batcher puts it into the next one.
  const batch = `replicas ${slotName(ctx.redis.meter, key)}`;
  const isThere = await ctx.batcher.submit(batch, key, {
    maxWeight: Number.POSITIVE_INFINITY,
    weigh: () => 1,
    run: async (keys) => {
      const isReplicated = await waitForReplicas(ctx, key);
      return keys.map(() => isReplicated);
    },
  });
  if (isThere) return;
  throw new DomainError(
    'outcome_unknown',
    'Too few replicas of Redis have it yet. Repeat the request with the same key.',
  );
}

/** WAIT covers what its own connection wrote, so a small write goes ahead of it that comes after all others. */
async function waitForReplicas(ctx: Context, key: string): Promise<boolean> {
  const wanted = ctx.config.redisWaitReplicas;
  const replies = await ctx.redis.meter
    .pipeline()
    .set(key, '')
    .wait(wanted, PATIENCE_MS)
    .exec()
    .catch(() => null);
  if (!replies?.every(([error]) => error === null)) return false;
  return Number(replies.at(-1)?.[1]) >= wanted;
}
