import { DomainError } from '../../platform/basics/errors.ts';

/** Why `consume.lua` spent nothing. */
export type Refusal = 'token' | 'reused' | 'empty' | 'unsigned' | 'full' | 'late';

/** The error that a refusal is answered with. */
export function refusalOf(code: Refusal, values: readonly (string | null)[]): DomainError {
  switch (code) {
    case 'token':
      return new DomainError('unauthorized', 'Send a valid credential as "Authorization: Bearer …".');
    case 'reused':
      return new DomainError('idempotency_key_reused', 'This Idempotency-Key was used for another output.');
    case 'empty':
      return insufficient(secondsOf(values[0]), secondsOf(values[1]));
    case 'unsigned':
      return new DomainError('signing_unavailable', 'No receipt can be signed now. Nothing was spent.');
    case 'full':
      return new DomainError('backpressure', 'The ledger lags too far behind. Nothing was spent.');
    case 'late':
      return new DomainError(
        'store_unavailable',
        'Redis was reached too late. Nothing was spent; try again.',
      );
  }
}

function insufficient(windowEnds: number | null, monthEnds: number | null): DomainError {
  const refills = [windowEnds, monthEnds].filter((time) => time !== null);
  return new DomainError('insufficient_credits', 'Needs 1 credit, has 0.', {
    balances: {
      window: { credits: 0, resets_at: windowEnds },
      monthly: { credits: 0, resets_at: monthEnds },
      paid: { credits: 0, resets_at: null },
      granted: { credits: 0, resets_at: null },
    },
    next_refill: refills.length > 0 ? Math.min(...refills) : null,
  });
}

function secondsOf(ms: string | null | undefined): number | null {
  return ms ? Math.ceil(Number(ms) / 1_000) : null;
}
