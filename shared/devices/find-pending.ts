import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { countWrongCode, refuseGuesser } from './guesses.ts';
import { type DeviceGrant, deviceGrantRows } from './model.ts';
import { parseUserCode } from './user-code.ts';

/**
 * The grant that waits for an answer to this user code. Throws `invalid_grant` for a code that is unknown or used,
 * `expired_token`, `too_many_requests` after five of those from one account or address, whatever it was asked for.
 */
export async function findPending(
  ctx: Context,
  member: { accountId: string; address: string },
  typedCode: string,
): Promise<DeviceGrant> {
  const guessers = [`account:${member.accountId}`, `address:${member.address}`];
  refuseGuesser(ctx, guessers);
  const code = parseUserCode(typedCode);
  const grant = code === null ? null : await deviceGrantRows(ctx).findOne({ user_code: code });
  refuseGuesser(ctx, guessers);
  const isExpired = grant !== null && grant.expires_at.getTime() <= ctx.clock.now();
  if (grant?.status === 'pending' && !isExpired) return grant;
  // Pressed twice, a code that this member has answered is no guess.
  if (grant?.account_id !== member.accountId) countWrongCode(ctx, guessers);
  if (grant?.status === 'pending')
    throw new DomainError('expired_token', 'This code has expired. Ask the device for a new one.');
  throw invalidCode();
}

/** One answer for a code that never was and for one that is used. */
export function invalidCode(): DomainError {
  return new DomainError('invalid_grant', 'This code is not known, or it was used already.');
}
