import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { memberRows } from '../../accounts/organizations/model.ts';
import { readOrganization, timezoneAt } from '../../accounts/organizations/read-organization.ts';
import { createAccount, putDevice, readAccount } from '../meter/account-record.ts';
import { anchorAt } from '../meter/anchor.ts';
import { applyPlan } from '../meter/apply-plan.ts';
import { notInRedis } from '../meter/call-meter.ts';
import { type CreditAccount, creditAccountRows, deviceTokenRows } from '../model.ts';
import { catchUp } from './catch-up.ts';

/** The account of a member, made when it is not there yet. Throws `not_found`, `rebuilding`, `store_unavailable`. */
export async function findAccount(ctx: Context, orgId: string, userId: string): Promise<string> {
  const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
  if (!member || member.removed_at !== null) throw new DomainError('not_found', 'There is no such member.');
  await ensureAccount(ctx, member);
  return member._id;
}

/**
 * Makes sure that a member's account is there, in MongoDB and then in Redis, before its first device token is
 * answered. Repeating it changes nothing. Throws `rebuilding`, also for an account with a ledger that Redis has lost, and
 * `store_unavailable`.
 */
export async function ensureAccount(
  ctx: Context,
  member: Pick<CreditAccount, '_id' | 'org_id' | 'user_id'>,
): Promise<void> {
  // An empty account in place of one that Redis has lost would give back what was spent, and contradict its ledger.
  const isMissing = (await readAccount(ctx, member._id)) === null;
  if (isMissing && (await catchUp(ctx, member._id)) > 0) throw notInRedis();
  const row = await recordAccount(ctx, member);
  await createAccount(ctx, row);
  if (isMissing) await putDevices(ctx, row._id);
  // A change of plan meanwhile may have seen neither row nor record.
  const { plan } = await readOrganization(ctx, member.org_id);
  if (plan !== row.plan) await applyPlan(ctx, row);
}

/** A new account has none; one that Redis lost before its first spend may have some. */
async function putDevices(ctx: Context, accountId: string): Promise<void> {
  const tokens = await deviceTokenRows(ctx).find({ account_id: accountId }).toArray();
  for (const { _id, token_id, token_hmac, revoked_at } of tokens)
    if (revoked_at === null) await putDevice(ctx, accountId, { device_id: _id, token_id, token_hmac });
}

async function recordAccount(
  ctx: Context,
  { _id, org_id, user_id }: Pick<CreditAccount, '_id' | 'org_id' | 'user_id'>,
): Promise<CreditAccount> {
  const known = await creditAccountRows(ctx).findOne({ _id });
  if (known) return known;
  const organization = await readOrganization(ctx, org_id);
  const nowMs = ctx.clock.now();
  const account: CreditAccount = {
    _id,
    org_id,
    user_id,
    plan: organization.plan,
    anchor: anchorAt(nowMs, timezoneAt(organization, nowMs)),
    created_at: new Date(nowMs),
  };
  await creditAccountRows(ctx).updateOne({ _id }, { $setOnInsert: account }, { upsert: true });
  return (await creditAccountRows(ctx).findOne({ _id })) ?? account;
}
