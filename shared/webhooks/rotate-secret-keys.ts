import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../platform/context/context.ts';
import { webhookRows } from './model.ts';

import { isSealedByCurrentKey, openSecret, sealSecret } from './seal.ts';

/**
 * Seals every secret again with the current key, the first of WEBHOOK_SECRET_KEYS; afterwards the others may go. Safe
 * to repeat. Throws when a secret's key is not in the ring; what came before it is done.
 */
export async function rotateSecretKeys(ctx: Context): Promise<{ resealed: number; current: number }> {
  let resealed = 0;
  let current = 0;
  for await (const { _id, secret } of webhookRows(ctx).find({}, { projection: { secret: 1 } })) {
    if (isSealedByCurrentKey(ctx.config, secret)) {
      current += 1;
      continue;
    }
    const sealed = sealSecret(ctx.config, _id, openSecret(ctx.config, _id, secret));
    await webhookRows(ctx).updateOne({ _id }, { $set: { secret: sealed } });
    resealed += 1;
  }
  await recordAudit(ctx, { action: 'webhook.rotate-keys', org_id: null, details: { resealed } });
  return { resealed, current };
}
