import { recordAuditOnce } from '../../audit/record-audit.ts';
import type { Member } from '../../organizations/model.ts';
import type { Context } from '../../platform/context/context.ts';
import { type Grant, grantCredits } from './grant-credits.ts';

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
  await recordAuditOnce(ctx, { action: 'credits.add', org_id, details: noted }, [accountId, idempotencyKey]);
  return granted;
}
