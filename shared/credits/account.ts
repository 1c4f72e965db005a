import { readOrganization, timezoneAt } from '../organizations/read-organization.ts';
import type { Plan } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { accountKeys } from '../platform/redis/keys.ts';
import { loadScript } from '../platform/redis/script.ts';
import { callMeter } from './call-meter.ts';
import { emptyState } from './fold.ts';
import { putOnPlan } from './follow-plan.ts';
import { type Anchor, type CreditAccount, creditAccountRows } from './model.ts';
import { identityFields, stateFields } from './state.ts';

const script = loadScript(new URL('state.lua', import.meta.url), new URL('account.lua', import.meta.url));

/**
 * Makes sure that a member's account is there, in MongoDB and then in Redis, before its first device token is
 * answered. Repeating it changes nothing. Throws `rebuilding`, `store_unavailable`.
 */
export async function ensureAccount(
  ctx: Context,
  member: { _id: string; org_id: string; user_id: string },
  plan: Plan,
): Promise<void> {
  const account = await recordAccount(ctx, member, plan);
  const fields = [...identityFields(account), ...stateFields(emptyState())];
  await changeAccount(ctx, account._id, ['create', ...fields]);
  // A change of plan meanwhile may have seen neither row nor record.
  const organization = await readOrganization(ctx, member.org_id);
  if (organization.plan !== account.plan) await putOnPlan(ctx, account);
}

/**
 * Lets a device spend. `token_id` is the id inside its token (`mintDeviceToken`), `token_hmac` its `credentialHash`.
 * Repeating it changes nothing. Throws `rebuilding`, `store_unavailable`, `conflict` for a revoked device.
 */
export async function putDevice(
  ctx: Context,
  accountId: string,
  device: { device_id: string; token_id: string; token_hmac: string },
): Promise<void> {
  await changeAccount(ctx, accountId, ['device', device.token_id, device.device_id, device.token_hmac]);
}

/**
 * From its return on no spend of this device succeeds. Call it before the device's row says `revoked` (so that it
 * bites at once) and again after (so that a Redis which was rebuilt from the rows in between knows it too).
 * Repeating it changes nothing. Throws `rebuilding`, `store_unavailable`.
 */
export async function revokeDeviceInAccount(
  ctx: Context,
  accountId: string,
  deviceId: string,
): Promise<void> {
  await changeAccount(ctx, accountId, ['revoke', deviceId]);
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

async function changeAccount(ctx: Context, accountId: string, args: string[]): Promise<void> {
  const { gate, account } = accountKeys(accountId);
  const answer = await callMeter(ctx, script, [gate, account], args);
  if (answer === 'ok') return;
  if (answer === 'gate') throw new DomainError('rebuilding', 'Credits are being checked against the ledger.');
  if (answer === 'revoked') throw new DomainError('conflict', 'This device is revoked.');
  throw new DomainError('rebuilding', 'This account is not in Redis.');
}
