import { DEVICE_CODE_LIFETIME_S, WRONG_USER_CODES } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';

interface Count {
  wrong: number;
  endsAtMs: number;
}

const MOST_COUNTS = 10_000;
const counts = perContext(() => new Map<string, Count>());

/**
 * Throws `too_many_requests` when one of these (account, address) has entered five wrong codes, until the codes of
 * that time have expired. Ask before looking a code up and again before taking it: of many tries at once, those that
 * end after the fifth wrong one learn nothing. In memory: each process counts for itself.
 */
export function refuseGuesser(ctx: Context, guessers: readonly string[]): void {
  const nowMs = ctx.clock.now();
  for (const guesser of guessers) {
    const count = liveCounts(ctx).get(guesser);
    if (!count || count.endsAtMs <= nowMs || count.wrong < WRONG_USER_CODES) continue;
    throw new DomainError('too_many_requests', 'Too many codes were wrong.', {
      retry_after_s: Math.max(1, Math.ceil((count.endsAtMs - nowMs) / 1_000)),
    });
  }
}

/** Counts a wrong code of each. */
export function countWrongCode(ctx: Context, guessers: readonly string[]): void {
  const nowMs = ctx.clock.now();
  const known = liveCounts(ctx);
  for (const guesser of guessers) {
    const count = known.get(guesser);
    if (count && count.endsAtMs > nowMs) count.wrong += 1;
    else known.set(guesser, { wrong: 1, endsAtMs: nowMs + DEVICE_CODE_LIFETIME_S * 1_000 });
  }
}

function liveCounts(ctx: Context): Map<string, Count> {
  const known = counts(ctx);
  if (known.size > MOST_COUNTS) {
    const nowMs = ctx.clock.now();
    for (const [guesser, count] of known) if (count.endsAtMs <= nowMs) known.delete(guesser);
  }
  return known;
}
