import { DomainError } from '../basics/errors.ts';
import { slotName } from '../redis/keys.ts';
import { isRedisRefusal, runScript, type Script } from '../redis/script.ts';
import type { Context } from './context.ts';

/**
 * Sends one script call by the meter's client, which never sends anything twice. Throws `store_unavailable` when nothing
 * was written (not sent, or refused by Redis) and `outcome_unknown` when it was sent and no answer came.
 */
export async function sendScript(
  ctx: Context,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  const client = ctx.redis.meter;
  if (client.status !== 'ready') throw unavailable();
  try {
    return await runScript(client, script, keys, args);
  } catch (error) {
    if (isRedisRefusal(error) || wasNotSent(error)) {
      ctx.log.warn({ err: error }, 'redis refused a script');
      throw unavailable();
    }
    throw new DomainError('outcome_unknown', 'Redis did not answer. Repeat the request with the same key.');
  }
}

/** The error of what Redis was not sent, or refused: nothing was written. */
export function unavailable(): DomainError {
  return new DomainError('store_unavailable', 'Redis cannot be used now. Nothing was written; try again.');
}

function wasNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Stream isn't writeable");
}

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
