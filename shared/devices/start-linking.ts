import { randomBytes } from 'node:crypto';
import { beginCreation } from '../idempotency/creation.ts';
import { credentialHash } from '../keys/credential.ts';
import { baseUrl } from '../platform/basics/config.ts';
import { DEVICE_CODE_LIFETIME_S, DEVICE_POLL_INTERVAL_S } from '../platform/basics/contract.ts';
import { DomainError, isDuplicateKey } from '../platform/basics/errors.ts';
import { newId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { type DeviceGrant, deviceGrantRows, deviceRows } from './model.ts';
import { newUserCode, showUserCode } from './user-code.ts';

/** RFC 8628 section 3.2. Times in seconds. */
export interface DeviceAuthorization {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** Begins to link a device. Nobody owns it until a person approves the user code. */
export async function startLinking(
  ctx: Context,
  input: { name: string | null; public_key: Record<string, unknown> | null },
): Promise<DeviceAuthorization> {
  const deviceCode = randomBytes(32).toString('base64url');
  const nowMs = ctx.clock.now();
  const { user_code } = await insertGrant(ctx, {
    _id: credentialHash(deviceCode, ctx.config.apiKeyPepper),
    user_code: newUserCode(),
    device_id: newId('dev'),
    ...input,
    status: 'pending',
    account_id: null,
    interval_s: DEVICE_POLL_INTERVAL_S,
    last_polled_at: null,
    created_at: new Date(nowMs),
    expires_at: new Date(nowMs + DEVICE_CODE_LIFETIME_S * 1_000),
  });
  const shown = showUserCode(user_code);
  const verification = `${baseUrl(ctx.config)}/activate`;
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: verification,
    verification_uri_complete: `${verification}?user_code=${shown}`,
    expires_in: DEVICE_CODE_LIFETIME_S,
    interval: DEVICE_POLL_INTERVAL_S,
  };
}

/** Whether a device of this id is being linked, or was linked. Throws `not_found`. */
export async function findLinking(ctx: Context, deviceId: string): Promise<{ device_id: string }> {
  const known =
    (await deviceGrantRows(ctx).findOne({ device_id: deviceId })) ??
    (await deviceRows(ctx).findOne({ _id: deviceId }));
  if (!known) throw new DomainError('not_found', 'There is no such device.');
  return { device_id: deviceId };
}

/** With another user code for as long as the unique index knows this one. Throws when the device has a grant already. */
async function insertGrant(ctx: Context, grant: DeviceGrant): Promise<DeviceGrant> {
  for (;;) {
    try {
      const inserted = grant;
      await inTransaction(ctx.db, async (transaction) => {
        await beginCreation(ctx, 'dev', transaction);
        await deviceGrantRows(ctx).insertOne(inserted, { session: transaction });
      });
      return grant;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const known = await deviceGrantRows(ctx).findOne({ device_id: grant.device_id });
      // The driver tries again what it has no answer to.
      if (known?._id === grant._id) return known;
      if (known) throw error;
      grant = { ...grant, user_code: newUserCode() };
    }
  }
}
