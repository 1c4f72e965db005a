import type { Context } from '../context.ts';
import type { Webhook } from './model.ts';
import { openSecretOnce } from './seal.ts';

/** For how long the secret before signs too, so that a receiver has time to change. Milliseconds. */
export const OLD_SECRET_MS = 24 * 3_600_000;

/** What signs for a webhook now: its secret, and for a day after a change the one before. */
export function secretsOf(
  ctx: Context,
  { _id, secret, old_secret, old_secret_until }: Webhook,
): readonly [string, ...string[]] {
  const current = openSecretOnce(ctx.config, _id, secret);
  const isOver = old_secret_until === undefined || old_secret_until.getTime() <= ctx.clock.now();
  if (old_secret === undefined || isOver) return [current];
  return [current, openSecretOnce(ctx.config, _id, old_secret)];
}
