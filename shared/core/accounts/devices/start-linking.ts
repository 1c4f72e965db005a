import { randomBytes } from 'node:crypto';
import { baseUrl } from '../../../platform/basics/config.ts';
import { DEVICE_CODE_LIFETIME_S, DEVICE_POLL_INTERVAL_S } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { newId } from '../../../platform/basics/ids.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { insertRow } from '../../../platform/mongo/writes.ts';
import { beginCreation } from '../idempotency/creation.ts';
import { credentialHash } from '../keys/credential.ts';
import { type DeviceGrant, deviceGrantRows, deviceRows } from './model.ts';
import { newUserCode, showUserCode } from './user-code.ts';

/** Begins to link a device, as RFC 8628 section 3.2 has it. Nobody owns it until a person approves the user code. */
export async function startLinking(
  ctx: Context,
  input: { name: string | null; public_key: Record<string, unknown> | null },
) {
  const deviceCode = randomBytes(32).toString('base64url');
  const nowMs = ctx.clock.now();
  const { user_code } = await insertGrant(ctx, {
    _id: credentialHash(deviceCode, ctx.config.apiKeyPepper),
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

/** Returns the id of a device that is being linked, or was linked. Throws `not_found`. */
export async function findLinking(ctx: Context, deviceId: string): Promise<{ device_id: string }> {
  const known =
    (await deviceGrantRows(ctx).findOne({ device_id: deviceId })) ??
    (await deviceRows(ctx).findOne({ _id: deviceId }));
  if (!known) throw new DomainError('not_found', 'There is no such device.');
  return { device_id: deviceId };
}

/** Stores a grant with a new user code. Throws a duplicate key when the device has a grant already. */
async function insertGrant(ctx: Context, draft: Omit<DeviceGrant, 'user_code'>): Promise<DeviceGrant> {
  return commitPlan(
    ctx,
    async (transaction) => {
      await beginCreation(ctx, 'dev', transaction);
      const known = await deviceGrantRows(ctx).findOne({ _id: draft._id }, { session: transaction });
      // The driver repeats a transaction whose answer did not come.
      if (known) return { result: known };
      const grant = { ...draft, user_code: newUserCode() };
      return { writes: [insertRow(deviceGrantRows, grant)], result: grant };
    },
    { onDuplicateKey: 'retry' },
  );
}
