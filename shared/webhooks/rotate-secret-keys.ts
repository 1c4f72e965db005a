import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';
import { isSealedByCurrentKey, openSecret, sealSecret } from './seal.ts';

/**
 * Seals every secret again with the current key, the first of WEBHOOK_SECRET_KEYS; afterwards the others may go. Safe
 * to repeat. Throws when a secret's key is not in the ring; what came before it is done.
 */
export async function rotateSecretKeys(ctx: Context): Promise<{ resealed: number; current: number }> {
  let resealed = 0;
  let current = 0;
  const projection = { secret: 1, old_secret: 1 };
  for await (const { _id, ...secrets } of raw(ctx.db.webhooks).find({}, { projection })) {
    for (const field of ['secret', 'old_secret'] as const) {
      const sealed = secrets[field];
      if (sealed === undefined) continue;
      if (isSealedByCurrentKey(ctx.config, sealed)) current += 1;
      else if (await reseal(ctx, _id, field, sealed)) resealed += 1;
    }
  }
  await recordAudit(ctx, { action: 'webhook.rotate-keys', org_id: null, details: { resealed } });
  return { resealed, current };
}

/** Only while it is the same: somebody may have given the webhook another secret meanwhile. */
async function reseal(
  ctx: Context,
  _id: string,
  field: 'secret' | 'old_secret',
  before: string,
): Promise<boolean> {
  const after = sealSecret(ctx.config, _id, openSecret(ctx.config, _id, before));
  const changed = await raw(ctx.db.webhooks).updateOne(
    { _id, [field]: before },
    { $set: { [field]: after } },
  );
  return changed.modifiedCount === 1;
}
