import { memberRows } from '../../organizations/model.ts';
import { readOrganization, timezoneAt } from '../../organizations/read-organization.ts';
import type { Plan } from '../../platform/basics/contract.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { accountKeys } from '../../platform/redis/keys.ts';
import { emptyState, identityFields, stateFields } from './account-state.ts';
import { applyPlan } from './apply-plan.ts';
import { callMeter, meterScript, replyOf } from './call-meter.ts';
import { type Anchor, type CreditAccount, creditAccountRows } from './model.ts';

const createScript = meterScript('create-account');

/** The account of a member, made when it is not there yet. Throws `not_found`, `rebuilding`, `store_unavailable`. */
export async function findAccount(ctx: Context, orgId: string, userId: string): Promise<string> {
  const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
  if (!member || member.removed_at !== null) throw new DomainError('not_found', 'There is no such member.');
  const { plan } = await readOrganization(ctx, orgId);
  await ensureAccount(ctx, member, plan);
  return member._id;
}

/**
 * Makes sure that a member's account is there, in MongoDB and then in Redis, before its first device token is
 * answered. Repeating it changes nothing. Throws `rebuilding`, `store_unavailable`.
 */
export async function ensureAccount(
  ctx: Context,
  member: { _id: string; org_id: string; user_id: string },
  plan: Plan,
): Promise<void> {
  const row = await recordAccount(ctx, member, plan);
  const { epoch, account, shard } = accountKeys(row._id);
  await callMeter(ctx, {
    script: createScript,
    shard,
    keys: [epoch, account],
    args: [...identityFields(row), ...stateFields(emptyState())],
    reply: replyOf('ok'),
  });
  // A change of plan meanwhile may have seen neither row nor record.
  const organization = await readOrganization(ctx, member.org_id);
  if (organization.plan !== row.plan) await applyPlan(ctx, row);
}

async function recordAccount(
  ctx: Context,
  member: { _id: string; org_id: string; user_id: string },
  plan: Plan,
): Promise<CreditAccount> {
  const known = await creditAccountRows(ctx).findOne({ _id: member._id });
  if (known) return known;
  const organization = await readOrganization(ctx, member.org_id);
  const nowMs = ctx.clock.now();
  const account: CreditAccount = {
    _id: member._id,
    org_id: member.org_id,
    user_id: member.user_id,
    plan,
    anchor: anchorAt(nowMs, timezoneAt(organization, nowMs)),
    created_at: new Date(nowMs),
  };
  await creditAccountRows(ctx).updateOne({ _id: account._id }, { $setOnInsert: account }, { upsert: true });
  return (await creditAccountRows(ctx).findOne({ _id: member._id })) ?? account;
}

function anchorAt(epochMs: number, timezone: string): Anchor {
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
  return { day: local.day, time: local.toPlainTime().toString({ smallestUnit: 'second' }), timezone };
}
