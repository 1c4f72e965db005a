import { z } from 'zod';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { accountKeys } from '../../../platform/redis/keys.ts';
import { runScript } from '../../../platform/redis/script.ts';
import type { CreditAccount, DeviceToken } from '../model.ts';
import { type AccountState, decodeState, emptyState, identityFields, stateFields } from './account-state.ts';
import { callMeter, meterScript, notInRedis } from './call-meter.ts';

const scripts = {
  read: meterScript('read-account'),
  create: meterScript('create-account'),
  restore: meterScript('restore-account'),
  putDevice: meterScript('put-device'),
  revokeDevice: meterScript('revoke-device'),
};

/** An account as it lies in Redis. */
export interface AccountRecord {
  plan: string;
  anchor: string;
  state: AccountState;
}

/** The record of an account, or null when there is none. Throws `rebuilding`, `store_unavailable`. */
export async function readAccount(ctx: Context, accountId: string): Promise<AccountRecord | null> {
  const call = { script: scripts.read, accountId, args: [], codes: ['ok', 'missing'] } as const;
  const [plan, anchor, ...fields] = (await callMeter(ctx, call)).values;
  const state = decodeState(fields);
  return state && plan && anchor ? { plan, anchor, state } : null;
}

/** Creates the empty record of an account. Nothing changes when there is one. Throws `rebuilding`, and as `sendScript`. */
export async function createAccount(ctx: Context, row: CreditAccount): Promise<void> {
  const args = [...identityFields(row), ...stateFields(emptyState())];
  await callMeter(ctx, { script: scripts.create, accountId: row._id, args, codes: ['ok'] });
}

const restored = z.enum(['ok', 'missing', 'opened']);

/**
 * Puts an account back into a Redis that has lost it. `state` replaces none or an earlier one, and that of a shard held by
 * the rebuild `holder` in any case; null corrects only plan and devices. Returns `missing` when Redis has no record and no
 * state was given: then nothing was written. Returns `opened` when its shard was opened meanwhile.
 */
export async function restoreAccount(
  ctx: Context,
  account: CreditAccount,
  { state, tokens, holder }: { state: AccountState | null; tokens: readonly DeviceToken[]; holder: string },
): Promise<z.infer<typeof restored>> {
  const { epoch, account: key } = accountKeys(account._id);
  const fields = [...identityFields(account), ...(state ? stateFields(state) : [])];
  const devices = tokens.flatMap(({ _id, token_id, token_hmac, revoked_at }) => [
    token_id,
    _id,
    revoked_at === null ? token_hmac : '',
  ]);
  const seq = holder === '' ? state?.seq : 'force';
  const args = [holder, seq ?? '', fields.length, ...fields, ...devices];
  return restored.parse(await runScript(ctx.redis.producer, scripts.restore, [epoch, key], args));
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
  const { code } = await callMeter(ctx, {
    script: scripts.putDevice,
    accountId,
    args: [device.token_id, device.device_id, device.token_hmac],
    codes: ['ok', 'missing', 'revoked'],
  });
  if (code === 'revoked') throw new DomainError('conflict', 'This device is revoked.');
  if (code === 'missing') throw notInRedis();
}

/**
 * Ends a device: from its return on no spend of it succeeds. Call it before the device's row says `revoked` (so that it
 * bites at once) and again after (so that a Redis which was rebuilt from the rows in between knows it too).
 * Repeating it changes nothing. Throws `rebuilding`, `store_unavailable`, `outcome_unknown`.
 */
export async function revokeDeviceAccess(ctx: Context, accountId: string, deviceId: string): Promise<void> {
  const call = {
    script: scripts.revokeDevice,
    accountId,
    args: [deviceId],
    codes: ['ok', 'missing'],
  } as const;
  if ((await callMeter(ctx, call)).code === 'missing') throw notInRedis();
}
