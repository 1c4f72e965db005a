import { DEVICE_CODE_LIFETIME_S, WRONG_USER_CODES } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
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

interface Count {
  wrong: number;
  /** By `elapsed`. */
  endsMs: number;
}

const counts = boundedCache<string, Count>({ max: 10_000 });

/**
 * Throws `too_many_requests` when one of these (account, address) has entered five wrong codes, until the codes of
 * that time have expired. Ask before looking a code up and again before taking it: of many tries at once, those that
 * end after the fifth wrong one learn nothing. In memory: each process counts for itself.
 */
export function refuseGuesser(ctx: Context, guessers: readonly string[]): void {
  const nowMs = ctx.clock.elapsed();
  for (const guesser of guessers) {
    const count = counts(ctx).get(guesser);
    if (!count || count.endsMs <= nowMs || count.wrong < WRONG_USER_CODES) continue;
    throw new DomainError('too_many_requests', 'Too many codes were wrong.', {
      retry_after_s: Math.max(1, Math.ceil((count.endsMs - nowMs) / 1_000)),
    });
  }
}

/** Counts a wrong code of each. */
export function countWrongCode(ctx: Context, guessers: readonly string[]): void {
  const nowMs = ctx.clock.elapsed();
  const known = counts(ctx);
  for (const guesser of guessers) {
    const count = known.get(guesser);
    if (count && count.endsMs > nowMs) count.wrong += 1;
    else known.set(guesser, { wrong: 1, endsMs: nowMs + DEVICE_CODE_LIFETIME_S * 1_000 });
  }
}
