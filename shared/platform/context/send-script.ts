import { DomainError } from '../basics/errors.ts';
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
