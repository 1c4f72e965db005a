import { createHmac, randomUUID } from 'node:crypto';
import { dateAt } from '../../../platform/basics/clock.ts';
import { DEVICE_SLOW_DOWN_S, DEVICES_PER_ACCOUNT } from '../../../platform/basics/contract.ts';
import { DomainError, isCode, isOutcomeUnknown, orUnknown } from '../../../platform/basics/errors.ts';
import { commitPlan, type Decision } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { insertRow, updateRow } from '../../../platform/mongo/writes.ts';
import { ensureAccount } from '../../credits/ledger/ensure-account.ts';
import { putDevice } from '../../credits/meter/account-record.ts';
import { type DeviceToken, deviceTokenRows } from '../../credits/model.ts';
import { auditWrite } from '../audit/record-audit.ts';
import { credentialHash, mintDeviceToken } from '../keys/credential.ts';
import { type Member, memberRows } from '../organizations/model.ts';
import { memberTouch } from '../organizations/roster.ts';
import { type Device, type DeviceGrant, deviceGrantRows, deviceRows } from './model.ts';

/**
 * Gives the token of an approved device, once. Everything before the answer may be repeated and ends the same, because
 * token and device id come from the grant: a crash or a store that is down costs the device only another poll.
 * Throws the errors of RFC 8628 section 3.5 and RFC 6749 section 5.2.
 */
export async function redeemGrant(
  ctx: Context,
  deviceCode: string,
): Promise<{ access_token: string; device_id: string }> {
  const grant = await deviceGrantRows(ctx).findOne({
    _id: credentialHash(deviceCode, ctx.config.apiKeyPepper),
  });
  if (!grant || grant.status === 'redeemed')
    throw new DomainError('invalid_grant', 'This device code is not known, or it was used already.');
  if (grant.expires_at.getTime() <= ctx.clock.now())
    throw new DomainError('expired_token', 'This device code has expired. Begin again.');
  if (grant.status === 'denied') throw new DomainError('access_denied', 'The person has denied this device.');
  if (grant.status === 'pending' || grant.account_id === null) return refusePoll(ctx, grant);

  const member = await readMember(ctx, grant.account_id);
  await ensureAccount(ctx, member);
  const { id, token } = mintDeviceToken(member._id, seedOf(ctx, deviceCode));
  const hmac = credentialHash(token, ctx.config.apiKeyPepper);
  await linkDevice(ctx, grant, member, { token_id: id, token_hmac: hmac });
  await putInRedis(ctx, member._id, { device_id: grant.device_id, token_id: id, token_hmac: hmac });
  await markRedeemed(ctx, grant);
  return { access_token: token, device_id: grant.device_id };
}

/** Refuses a poll of a device that nobody has approved yet. `slow_down` is a kind of `authorization_pending`. */
async function refusePoll(ctx: Context, grant: DeviceGrant): Promise<never> {
  const nowMs = ctx.clock.now();
  const isEarly =
    grant.last_polled_at !== null && nowMs - grant.last_polled_at.getTime() < grant.interval_s * 1_000;
  const interval = grant.interval_s + (isEarly ? DEVICE_SLOW_DOWN_S : 0);
  await deviceGrantRows(ctx).updateOne(
    { _id: grant._id },
    { $set: { last_polled_at: new Date(nowMs), interval_s: interval } },
  );
  if (isEarly) throw new DomainError('slow_down', `Ask every ${interval} seconds.`);
  throw new DomainError('authorization_pending', 'The user code was not approved yet.');
}

async function readMember(ctx: Context, accountId: string): Promise<Member> {
  const member = await memberRows(ctx).findOne({ _id: accountId });
  if (!member || member.removed_at !== null) throw noMemberAnyMore();
  return member;
}

function noMemberAnyMore(): DomainError {
  return new DomainError('access_denied', 'The person who approved this device is no longer a member.');
}

/** The seed of a token. Making it again needs both the device code and the pepper, which are never stored together. */
function seedOf(ctx: Context, deviceCode: string): Uint8Array {
  return createHmac('sha512', ctx.config.apiKeyPepper).update(`device-token:${deviceCode}`).digest();
}

const NOTHING_TO_DO: Decision<undefined> = { result: undefined };

type Token = Pick<DeviceToken, 'token_id' | 'token_hmac'>;

/**
 * Makes the device's row, unless an earlier poll made it. Throws `access_denied` when the member was removed meanwhile, or
 * the account has as many active devices as it may have.
 */
async function linkDevice(ctx: Context, grant: DeviceGrant, member: Member, token: Token): Promise<void> {
  const { device_id, name, public_key } = grant;
  const { _id: account_id, org_id } = member;
  await commitPlan(ctx, async (transaction) => {
    const options = { session: transaction };
    const present = await memberRows(ctx).findOne({ _id: account_id }, options);
    if (!present || present.removed_at !== null) throw noMemberAnyMore();
    const devices = await deviceRows(ctx).find({ account_id }, options).toArray();
    if (devices.some((device) => device.device_id === device_id)) return NOTHING_TO_DO;
    if (devices.filter(({ status }) => status === 'active').length >= DEVICES_PER_ACCOUNT)
      throw new DomainError(
        'access_denied',
        `The account has ${DEVICES_PER_ACCOUNT} active devices. Revoke one first.`,
      );
    const device: Device = {
      _id: device_id,
      account_id,
      org_id,
      device_id,
      name,
      public_key,
      status: 'active',
      created_at: new Date(ctx.clock.now()),
      revoked_at: null,
    };
    const spending = { _id: device_id, account_id, ...token, revoked_at: null, last_seen_at: null };
    const writes = [
      // Two devices that link at once conflict here, and the second counts again.
      memberTouch(present),
      insertRow(deviceRows, device),
      insertRow(deviceTokenRows, spending),
      auditWrite(ctx, { action: 'device.link', org_id, details: { account_id, device_id } }),
    ];
    return { writes, result: undefined };
  });
}

async function putInRedis(ctx: Context, accountId: string, device: Token & { device_id: string }) {
  try {
    await putDevice(ctx, accountId, device);
  } catch (error) {
    if (!isCode(error, 'conflict')) throw error;
    throw new DomainError('access_denied', 'This device was revoked.');
  }
}

/**
 * Marks the grant as redeemed for the one poll that gets the answer. Throws `invalid_grant` for every other. A poll that
 * does not learn the outcome takes its mark back, so that the next poll gets the token. Throws `outcome_unknown` when the
 * outcome of that is unknown too.
 */
async function markRedeemed(ctx: Context, { _id }: DeviceGrant): Promise<void> {
  const poll = randomUUID();
  try {
    await commitPlan(ctx, async (transaction) => {
      const grant = await deviceGrantRows(ctx).findOne({ _id }, { session: transaction });
      // The driver repeats a transaction whose answer did not come.
      if (grant?.redeemed_by === poll) return NOTHING_TO_DO;
      if (grant?.status !== 'approved')
        throw new DomainError('invalid_grant', 'This device code was used already.');
      const redeemed = { status: 'redeemed', redeemed_by: poll } as const;
      return {
        writes: [updateRow(deviceGrantRows, { _id }, { $set: redeemed })],
        result: undefined,
      };
    });
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    await orUnknown(
      takeBack(ctx, _id, poll),
      'It is not known whether this poll has used the code up. Poll again, and begin again if the code is refused then.',
    );
    throw new DomainError('store_unavailable', 'MongoDB did not answer in time. Poll again.');
  }
}

/** Takes the mark of a poll back. It writes the row in any case, so that a mark under way conflicts and ends first. */
async function takeBack(ctx: Context, _id: string, poll: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const grant = await deviceGrantRows(ctx).findOne({ _id }, { session: transaction });
    if (grant?.status === 'redeemed' && grant.redeemed_by !== poll) return NOTHING_TO_DO;
    const back = { status: 'approved', last_polled_at: dateAt(ctx.clock.now()) } as const;
    const change = { $set: back, $unset: { redeemed_by: '' as const } };
    return { writes: [updateRow(deviceGrantRows, { _id }, change)], result: undefined };
  });
}
