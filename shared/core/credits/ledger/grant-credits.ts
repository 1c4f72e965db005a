import { DomainError, orUnknown } from '../../../platform/basics/errors.ts';
import { newId } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { shardOf } from '../../../platform/redis/keys.ts';
import { recordAct } from '../../accounts/audit/record-audit.ts';
import type { Member } from '../../accounts/organizations/model.ts';
import { changeCredits } from '../meter/change-credits.ts';
import { digest, keyDigest } from '../meter/idempotency.ts';
import { creditNow } from '../meter/redis-time.ts';
import { ledgerRows } from '../model.ts';
import { type LedgerTransaction, toTransaction } from './transaction.ts';

export interface Grant {
  accountId: string;
  bucket: 'paid' | 'granted';
  /** 1..1e9 */
  amount: number;
  /** Unix seconds, at most the last of the year 9999. */
  expires_at?: number | undefined;
  idempotencyKey: string;
}

const LAST_EXPIRY_S = 253_402_300_799;

/**
 * Adds a lot of paid or granted credits, once per key, for ever. Throws `not_found` when the member has no account,
 * `idempotency_key_reused`, `invalid_request` for an expiry that has passed or that is too far away, and as `changeCredits`.
 */
export async function grantCredits(
  ctx: Context,
  grant: Grant,
): Promise<{ transaction: LedgerTransaction; replayed: boolean }> {
  const { accountId, bucket, amount, expires_at: expiresAt } = grant;
  // A later one, as of a time in microseconds, has more digits than a ledger row can hold.
  if (expiresAt !== undefined && expiresAt > LAST_EXPIRY_S)
    throw new DomainError(
      'invalid_request',
      'expires_at must be Unix seconds, of the year 9999 at the latest.',
    );
  const idk = keyDigest(accountId, 'grant', grant.idempotencyKey);
  const fingerprint = digest('grant', bucket, amount, expiresAt ?? 0);
  // Redis forgets a key after 48 h, the ledger never.
  const known = await ledgerRows(ctx).findOne({ idk, account_id: accountId });
  if (known) {
    if (known.fingerprint !== fingerprint)
      throw new DomainError('idempotency_key_reused', 'This Idempotency-Key was used for something else.');
    return { transaction: toTransaction(known), replayed: true };
  }
  if (expiresAt !== undefined && expiresAt * 1_000 <= (await creditNow(ctx, shardOf(accountId))))
    throw new DomainError('invalid_request', 'expires_at has passed.');
  const reason = bucket === 'paid' ? 'credit.purchase' : 'credit.grant';
  const { outcome, did } = await changeCredits(ctx, {
    accountId,
    command: 'add-lot',
    args: [bucket, reason, amount, (expiresAt ?? 0) * 1_000, newId('lot')],
    idempotency: { idk, fingerprint },
  });
  if (!outcome) throw new Error('A grant has no outcome');
  return { transaction: toTransaction(outcome), replayed: did === 'replay' };
}

/**
 * Grants credits to a member and notes it in the audit log, each once per key. `details` are noted beside the grant. Throws
 * as `grantCredits`.
 */
export async function grantAudited(
  ctx: Context,
  { org_id, user_id }: Pick<Member, 'org_id' | 'user_id'>,
  grant: Grant,
  details: Record<string, unknown> = {},
): ReturnType<typeof grantCredits> {
  const granted = await grantCredits(ctx, grant);
  const { accountId, bucket, amount, expires_at = null, idempotencyKey } = grant;
  const noted = { user_id, bucket, amount, expires_at, ...details };
  const entry = { action: 'credits.add', org_id, details: noted } as const;
  await orUnknown(
    recordAct(ctx, entry, [accountId, idempotencyKey]),
    'The credits are granted, and the audit log may lack it. Repeat the request with the same Idempotency-Key.',
  );
  return granted;
}
