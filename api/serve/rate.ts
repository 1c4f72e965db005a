import type { RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../../shared/platform/basics/errors.ts';

/** The state of a limiter that refused: it rejects with its state when a limit is passed, with an Error when broken. */
export function asState(rejection: unknown): RateLimiterRes {
  if (rejection instanceof Error) throw rejection;
  return rejection as RateLimiterRes;
}

/** The error of a limit that was passed, with the whole seconds after which it is worth trying again. */
export function tooMany(state: RateLimiterRes, detail: string): DomainError {
  const retryAfterS = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
  return new DomainError('too_many_requests', detail, { retry_after_s: retryAfterS });
}
