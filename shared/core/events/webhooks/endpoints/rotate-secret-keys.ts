import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../../../platform/basics/config.ts';
import { isStoreError } from '../../../../platform/basics/errors.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type Sealed, type SealedRows, sealedRows } from '../../../../platform/mongo/sealed-rows.ts';
import { recordAct } from '../../../accounts/audit/record-audit.ts';
import { decryptSecret, encryptSecret, isEncryptedByCurrentKey } from './encrypt-secret.ts';
import { webhookRows } from './model.ts';
import { targetOwner } from './target.ts';

export const webhookSecrets = sealedRows(webhookRows, {
  secret: (id) => id,
  old_secret: (id) => id,
  encrypted_url: targetOwner,
});

/**
 * Encrypts all that is sealed again with the current key, the first of WEBHOOK_SECRET_KEYS; afterwards the other keys may go.
 * Counts rows. Safe to repeat, and beside changes of secrets. Throws when secrets cannot be decrypted, and names each; all others
 * are done.
 */
export async function rotateSecretKeys(
  ctx: Context,
  sealed: readonly SealedRows[],
): Promise<{ encrypted: number; current: number }> {
  let encrypted = 0;
  let current = 0;
  const failures: string[] = [];
  for (const rows of sealed)
    for await (const row of rows.collection(ctx).find()) {
      try {
        if (await encryptAgain(ctx, rows, row)) encrypted += 1;
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
async function encryptAgain(ctx: Context, { collection, owners }: SealedRows, first: Sealed) {
  for (let row: Sealed | null = first; row; row = await collection(ctx).findOne({ _id: row._id })) {
    const { _id } = row;
    const before = pick(row, Object.keys(owners));
    const fresh = Object.fromEntries(
      Object.entries(owners).map(([field, ownerOf]) => {
        const encrypted = before[field] ?? null;
        return [field, encrypted && withCurrentKey(ctx.config, ownerOf(_id), encrypted)];
      }),
    );
    if (isDeepStrictEqual(fresh, before)) return false;
    const { matchedCount } = await collection(ctx).updateOne({ _id, ...before }, { $set: fresh });
    if (matchedCount > 0) return true;
  }
  return false;
}

function pick(row: Sealed, fields: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}

function withCurrentKey(config: Config, owner: string, encrypted: string): string {
  if (isEncryptedByCurrentKey(config, encrypted)) return encrypted;
  return encryptSecret(config, owner, decryptSecret(config, owner, encrypted));
}
