import type { Request, Response } from 'express';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { HOOK_BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { AnyRoute } from '../basics/route.ts';
import { addressOf } from './address.ts';
import { createBadCredentials } from './bad-credentials.ts';
import { asState, tooMany } from './rate.ts';

/** Bodies that one caller may be sending at the same time. */
const RECEIVING = { proven: 512, unproven: 64 } as const;
/**
 * The bytes of these, and of those that are worked on, are at most those of so many of the largest: twice what is decoded
 * of one organization at once.
 */
const LARGEST_AT_ONCE = 8;

export type Limits = ReturnType<typeof createLimits>;

/** Counts in memory per process, so that a limit never writes to a store and holds while one is down. */
export function createLimits(ctx: Context) {
  const { config } = ctx;
  const perKey = new RateLimiterMemory({ points: config.rateLimitPerKey, duration: 1 });
  const perAddress = new RateLimiterMemory({ points: config.rateLimitPerAddress, duration: 1 });
  const perRoute = new Map<string, RateLimiterMemory>();
  const receiving = new Map<string, { bodies: number; bytes: number }>();
  const mostBytes = LARGEST_AT_ONCE * Math.max(config.otlpBodyBytes, HOOK_BODY_BYTES);
  return {
    /** False where `RATE_LIMITS=off`. */
    isOn: config.rateLimits,
    badCredentials: createBadCredentials(ctx),
    /** Counts a request of a key or of the request's address, a large one as several. Throws `too_many_requests`. */
    count: async (res: Response, who: { key: string } | { address: string }, requests = 1): Promise<void> => {
      if (!config.rateLimits) return;
      const [limiter, name] = 'key' in who ? [perKey, who.key] : [perAddress, who.address];
      const state = await limiter.consume(name, requests).catch(asState);
      setHeaders(res, limiter, state);
      if (state.consumedPoints > limiter.points) throw tooMany(state, 'Too many requests in this second.');
    },
    /** Counts one request of an address to a route that has a limit of its own. Throws `too_many_requests`. */
    countForRoute: async (route: AnyRoute, req: Request): Promise<void> => {
      if (!config.rateLimits || !route.perAddress) return;
      const { most, perS } = route.perAddress;
      const limiter = perRoute.get(route.path) ?? new RateLimiterMemory({ points: most, duration: perS });
      perRoute.set(route.path, limiter);
      const state = await limiter.consume(addressOf(req)).catch(asState);
      if (state.consumedPoints > most)
        throw tooMany(state, `An address may do this ${most} times in ${perS} seconds.`);
    },
    /**
     * Begins to receive a body of a caller, until it is `done`. It says how many bytes it takes (`hold`), until they are released.
     * Beginning and holding throw `too_many_requests`.
     */
    receive: (caller: string, trust: keyof typeof RECEIVING) => {
      const all = receiving.get(caller) ?? { bodies: 0, bytes: 0 };
      if (config.rateLimits && all.bodies >= RECEIVING[trust]) throw tooManyAtOnce();
      receiving.set(caller, all);
      all.bodies += 1;
      let held = 0;
      return {
        hold: (bytes: number) => {
          held += bytes;
          all.bytes += bytes;
          if (config.rateLimits && all.bytes > mostBytes) throw tooManyAtOnce();
        },
        done: () => {
          all.bodies -= 1;
        },
        release: () => {
          all.bytes -= held;
          if (all.bodies === 0 && all.bytes === 0) receiving.delete(caller);
        },
      };
    },
  };
}

function tooManyAtOnce(): DomainError {
  return new DomainError('too_many_requests', 'Too many requests are being sent at once.', {
    retry_after_s: 1,
  });
}

/** The RateLimit headers of draft-ietf-httpapi-ratelimit-headers. */
function setHeaders(res: Response, limiter: RateLimiterMemory, state: RateLimiterRes): void {
  const resetS = Math.ceil(state.msBeforeNext / 1_000);
  res.setHeader('RateLimit-Policy', `"default";q=${limiter.points};w=${limiter.duration}`);
  res.setHeader('RateLimit', `"default";r=${Math.max(0, state.remainingPoints)};t=${resetS}`);
}
