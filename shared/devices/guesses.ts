import type { Context } from '../context.ts';
import { DEVICE_CODE_LIFETIME_S, WRONG_USER_CODES } from '../contract.ts';
import { DomainError } from '../errors.ts';

interface Count {
  wrong: number;
  endsAtMs: number;
}

const MOST_COUNTS = 10_000;
const counts = new WeakMap<Context, Map<string, Count>>();

/**
 * Counts one try of each of these (account, address) before it is known to be wrong, so that tries side by side count
 * too. The returned function takes it back for a right one. Throws `too_many_requests` after five wrong ones, until
 * the codes of that time have expired. In memory: each process counts for itself.
 */
export function countGuess(ctx: Context, guessers: readonly string[]): () => void {
  const nowMs = ctx.clock.now();
  const known = counts.get(ctx) ?? new Map<string, Count>();
  counts.set(ctx, known);
  if (known.size > MOST_COUNTS) forgetOld(known, nowMs);
  const mine = guessers.map((guesser) => countOf(known, guesser, nowMs));
  const full = mine.find((count) => count.wrong >= WRONG_USER_CODES);
  if (full) {
    throw new DomainError('too_many_requests', 'Too many codes were wrong.', {
      retry_after_s: Math.max(1, Math.ceil((full.endsAtMs - nowMs) / 1_000)),
    });
  }
  for (const count of mine) count.wrong += 1;
  return () => {
    for (const count of mine) count.wrong -= 1;
  };
}

function countOf(known: Map<string, Count>, guesser: string, nowMs: number): Count {
  const found = known.get(guesser);
  if (found && found.endsAtMs > nowMs) return found;
  const fresh = { wrong: 0, endsAtMs: nowMs + DEVICE_CODE_LIFETIME_S * 1_000 };
  known.set(guesser, fresh);
  return fresh;
}

function forgetOld(known: Map<string, Count>, nowMs: number): void {
  for (const [guesser, count] of known) {
    if (count.endsAtMs <= nowMs) known.delete(guesser);
  }
}
