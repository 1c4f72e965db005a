import { recordAudit } from '../../audit/record-audit.ts';
import type { Context } from '../../platform/context/context.ts';
import { decryptSecret, encryptSecret, isEncryptedByCurrentKey } from './encrypt-secret.ts';
import { webhookRows } from './model.ts';

/**
 * Encrypts every secret again with the current key, the first of WEBHOOK_SECRET_KEYS; afterwards the other keys may go.
 * Safe to repeat. Throws when the key of a secret is not in the ring; the secrets before it are done.
 */
export async function rotateSecretKeys(ctx: Context): Promise<{ encrypted: number; current: number }> {
  let encrypted = 0;
  let current = 0;
  for await (const { _id, secret } of webhookRows(ctx).find({}, { projection: { secret: 1 } })) {
    if (isEncryptedByCurrentKey(ctx.config, secret)) {
      current += 1;
      continue;
    }
    const fresh = encryptSecret(ctx.config, _id, decryptSecret(ctx.config, _id, secret));
    await webhookRows(ctx).updateOne({ _id }, { $set: { secret: fresh } });
    encrypted += 1;
  }
  await recordAudit(ctx, { action: 'webhook.rotate-keys', org_id: null, details: { encrypted } });
  return { encrypted, current };
}
