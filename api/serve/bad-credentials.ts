import type { Request } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Context } from '../../shared/platform/context/context.ts';
import { boundedCache } from '../../shared/platform/context/per-context.ts';
import { addressOf } from './address.ts';
import { asState, tooMany } from './rate.ts';

/** Look-ups that an address whose counter is full may still cause per second, for credentials not seen before. */
const LOOKUPS_PER_S = 5;
/** How long a credential that was valid counts as known. */
const KNOWN_FOR_MS = 3_600_000;

/** Wrong ones that were refused lately: one machine repeats its own, and must not use up the look-ups of its address. */
const refusedLately = boundedCache<string, true>({ max: 1_000, ttlMs: 60_000 });
const goodCredentials = boundedCache<string, true>({ max: 20_000, ttlMs: KNOWN_FOR_MS });

/**
 * The credentials that this process has seen: how many of an address were wrong, and which ones were right. Counts in memory
 * per process. `RATE_LIMITS=off` turns the counting off.
 */
export function createBadCredentials(ctx: Context) {
  const { rateLimits, badCredentialsPerMinute } = ctx.config;
  const wrong = new RateLimiterMemory({ points: badCredentialsPerMinute, duration: 60 });
  const lookups = new RateLimiterMemory({ points: LOOKUPS_PER_S, duration: 1 });
  const known = goodCredentials(ctx);
  const refused = refusedLately(ctx);
  const isKnown = ({ headers }: Pick<Request, 'headers'>) => known.get(headers.authorization ?? '') === true;
  return {
    /** Counts a refused credential of an address, and forgets that it was valid. Throws `too_many_requests` after too many. */
    count: async (req: Request): Promise<void> => {
      const credential = req.headers.authorization ?? '';
      known.delete(credential);
      if (!rateLimits) return;
      refused.set(credential, true);
      const state = await wrong.consume(addressOf(req)).catch(asState);
      if (state.consumedPoints > wrong.points) throw tooManyWrong(state);
    },
    /**
     * Asked before a credential is looked up. While an address sends too many wrong ones, it throws `too_many_requests`
     * for those that this process has not seen to be valid, except a few per second. So guesses cost no store, and a
     * credential that was valid here in the last hour always passes.
     */
    beforeLookup: async (req: Request): Promise<void> => {
      if (!rateLimits || isKnown(req)) return;
      const address = addressOf(req);
      const state = await wrong.get(address);
      if (state === null || state.consumedPoints < wrong.points) return;
      if (refused.get(req.headers.authorization ?? '')) throw tooManyWrong(state);
      const looked = await lookups.consume(address).catch(asState);
      if (looked.consumedPoints > lookups.points) throw tooManyWrong(state);
    },
    /** Notes that the request's credential is valid. */
    remember: (req: Request): void => {
      if (req.headers.authorization !== undefined && !isKnown(req))
        known.set(req.headers.authorization, true);
    },
    isKnown,
  };
}

function tooManyWrong(state: Parameters<typeof tooMany>[0]) {
  return tooMany(state, 'Too many credentials from this address were wrong.');
}
