import { isDeepStrictEqual } from 'node:util';
import { recordAct } from '../../audit/record-audit.ts';
import type { Config } from '../../platform/basics/config.ts';
import { isStoreError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { decryptSecret, encryptSecret, isEncryptedByCurrentKey } from './encrypt-secret.ts';
import { type Webhook, webhookRows } from './model.ts';
import { targetOwner } from './target.ts';

type Secrets = Pick<Webhook, '_id' | 'secret' | 'old_secret' | 'encrypted_url'>;
const SECRETS = { secret: 1, old_secret: 1, encrypted_url: 1 } as const;

/**
 * Encrypts the secrets and secret URLs of all webhooks again with the current key, the first of WEBHOOK_SECRET_KEYS;
 * afterwards the other keys may go. Counts webhooks. Safe to repeat, and beside changes of secrets. Throws when secrets
 * cannot be decrypted, and names each; all others are done.
 */
export async function rotateSecretKeys(ctx: Context): Promise<{ encrypted: number; current: number }> {
  let encrypted = 0;
  let current = 0;
  const failures: string[] = [];
  for await (const row of webhookRows(ctx).find().project<Secrets>(SECRETS)) {
    try {
      if (await encryptAgain(ctx, row)) encrypted += 1;
      else current += 1;
    } catch (error) {
      if (isStoreError(error)) throw error;
      failures.push((error as Error).message);
    }
  }
  await recordAct(ctx, { action: 'webhook.rotate-keys', org_id: null, details: { encrypted } });
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return { encrypted, current };
}

/** False when the current key has encrypted all of them already. Reads again when one was changed meanwhile. */
async function encryptAgain(ctx: Context, first: Secrets): Promise<boolean> {
  for (let row: Secrets | null = first; row; row = await webhookRows(ctx).findOne({ _id: row._id })) {
    const { _id, secret, old_secret, encrypted_url } = row;
    const fresh = {
      secret: withCurrentKey(ctx.config, _id, secret),
      old_secret: old_secret && withCurrentKey(ctx.config, _id, old_secret),
      encrypted_url: encrypted_url && withCurrentKey(ctx.config, targetOwner(_id), encrypted_url),
    };
    const before = { secret, old_secret, encrypted_url };
    if (isDeepStrictEqual(fresh, before)) return false;
    const { matchedCount } = await webhookRows(ctx).updateOne({ _id, ...before }, { $set: fresh });
    if (matchedCount > 0) return true;
  }
  return false;
}

function withCurrentKey(config: Config, owner: string, encrypted: string): string {
  if (isEncryptedByCurrentKey(config, encrypted)) return encrypted;
  return encryptSecret(config, owner, decryptSecret(config, owner, encrypted));
}
