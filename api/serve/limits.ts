import type { Request, Response } from 'express';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';

export interface Limits {
  /** Counts one request of a key or an address. Throws `too_many_requests`. */
  count(res: Response, who: { key: string } | { address: string }): Promise<void>;
  /**
   * Counts one refused credential of an address. Throws `too_many_requests` once there were too many. A valid
   * credential from that address is not counted.
   */
  countBadCredential(req: Request): Promise<void>;
}

/** In memory per process, so that a limit never writes to a store and holds while one is down. */
export function createLimits(config: Config): Limits {
  const perKey = new RateLimiterMemory({ points: config.rateLimitPerKey, duration: 1 });
  const perAddress = new RateLimiterMemory({ points: config.rateLimitPerAddress, duration: 1 });
  const badCredentials = new RateLimiterMemory({ points: config.badCredentialsPerMinute, duration: 60 });
  return {
    count: async (res, who) => {
      if (!config.rateLimits) return;
      const [limiter, name] = 'key' in who ? [perKey, who.key] : [perAddress, who.address];
      const state = await limiter.consume(name).catch(asState);
      tell(res, limiter, state);
      if (state.consumedPoints > limiter.points) throw tooMany(state, 'Too many requests in this second.');
    },
    countBadCredential: async (req) => {
      if (!config.rateLimits) return;
      const state = await badCredentials.consume(req.ip ?? 'unknown').catch(asState);
      if (state.consumedPoints > badCredentials.points) {
        throw tooMany(state, 'Too many credentials from this address were wrong.');
      }
    },
  };
}

/** The limiter rejects with its state when the limit is passed, and with an Error when it is broken. */
function asState(rejection: unknown): RateLimiterRes {
  if (rejection instanceof Error) throw rejection;
  return rejection as RateLimiterRes;
}

/** The RateLimit headers of draft-ietf-httpapi-ratelimit-headers. */
function tell(res: Response, limiter: RateLimiterMemory, state: RateLimiterRes): void {
  const resetS = Math.ceil(state.msBeforeNext / 1_000);
  res.setHeader('RateLimit-Policy', `"default";q=${limiter.points};w=${limiter.duration}`);
  res.setHeader('RateLimit', `"default";r=${Math.max(0, state.remainingPoints)};t=${resetS}`);
}

function tooMany(state: RateLimiterRes, detail: string): DomainError {
  const retryAfterS = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
  return new DomainError('too_many_requests', detail, { retry_after_s: retryAfterS });
}
