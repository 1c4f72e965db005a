import type { Config } from '../../platform/basics/config.ts';
import { decryptSecret } from './encrypt-secret.ts';
import type { Webhook } from './model.ts';

/** The secrets that sign an attempt at `nowMs` (epoch ms), the current one first. Throws when a key is not in the ring. */
export function signingSecrets(
  config: Config,
  { _id, secret, old_secret, old_secret_until }: Webhook,
  nowMs: number,
): [string, ...string[]] {
  const current = decryptSecret(config, _id, secret);
  if (old_secret === null || old_secret_until === null || old_secret_until.getTime() <= nowMs)
    return [current];
  return [current, decryptSecret(config, _id, old_secret)];
}
