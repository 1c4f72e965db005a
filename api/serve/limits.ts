import type { Request, Response } from 'express';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { HOOK_BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { AnyRoute } from '../basics/route.ts';
import { addressOf } from './address.ts';
import { type BadCredentials, createBadCredentials } from './bad-credentials.ts';
import { asState, tooMany } from './rate.ts';

/** Bodies that one caller may be sending at the same time. */
const RECEIVING = { proven: 512, unproven: 64 } as const;
/**
 * The bytes of these, and of those that are worked on, are at most those of so many of the largest: twice what is decoded
 * of one organization at once.
 */
const LARGEST_AT_ONCE = 8;

export interface Limits {
  /** False where `RATE_LIMITS=off`. */
  isOn: boolean;
  badCredentials: BadCredentials;
  /** Counts a request of a key or of the request's address, a large one as several. Throws `too_many_requests`. */
  count(res: Response, who: { key: string } | { address: string }, requests?: number): Promise<void>;
  /** Counts one request of an address to a route that has a limit of its own. Throws `too_many_requests`. */
  countForRoute(route: AnyRoute, req: Request): Promise<void>;
  /** Begins to receive a body of a caller. Throws `too_many_requests`. */
  receive(caller: string, trust: keyof typeof RECEIVING): Receiving;
}

/**
 * A body that is being received, until it is `done`. It says how many bytes it takes, until they are released: throws
 * `too_many_requests`.
 */
export interface Receiving {
  hold: (bytes: number) => void;
  done: () => void;
  release: () => void;
}

/** Counts in memory per process, so that a limit never writes to a store and holds while one is down. */
export function createLimits(ctx: Context): Limits {
  const { config } = ctx;
  const perKey = new RateLimiterMemory({ points: config.rateLimitPerKey, duration: 1 });
  const perAddress = new RateLimiterMemory({ points: config.rateLimitPerAddress, duration: 1 });
  const perRoute = new Map<string, RateLimiterMemory>();
  const receiving = new Map<string, { bodies: number; bytes: number }>();
  const mostBytes = LARGEST_AT_ONCE * Math.max(config.otlpBodyBytes, HOOK_BODY_BYTES);
  return {
    isOn: config.rateLimits,
    badCredentials: createBadCredentials(ctx),
    count: async (res, who, requests = 1) => {
      if (!config.rateLimits) return;
      const [limiter, name] = 'key' in who ? [perKey, who.key] : [perAddress, who.address];
      const state = await limiter.consume(name, requests).catch(asState);
      setHeaders(res, limiter, state);
      if (state.consumedPoints > limiter.points) throw tooMany(state, 'Too many requests in this second.');
    },
    countForRoute: async (route, req) => {
      if (!config.rateLimits || !route.perAddress) return;
      const { most, perS } = route.perAddress;
      const limiter = perRoute.get(route.path) ?? new RateLimiterMemory({ points: most, duration: perS });
      perRoute.set(route.path, limiter);
      const state = await limiter.consume(addressOf(req)).catch(asState);
      if (state.consumedPoints > most)
        throw tooMany(state, `An address may do this ${most} times in ${perS} seconds.`);
    },
    receive: (caller, trust) => {
      if (!config.rateLimits)
        return { hold: () => undefined, done: () => undefined, release: () => undefined };
      const all = receiving.get(caller) ?? { bodies: 0, bytes: 0 };
      if (all.bodies >= RECEIVING[trust]) throw tooManyAtOnce();
      receiving.set(caller, all);
      all.bodies += 1;
      let held = 0;
      return {
        hold: (bytes) => {
          held += bytes;
          all.bytes += bytes;
          if (all.bytes > mostBytes) throw tooManyAtOnce();
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
