import { boundedCache } from '../../platform/context/cache.ts';

/**
 * Webhooks of which an attempt could not even be made: the key of their secret is missing, say. For five minutes this
 * process leaves in the store what is due of them, so that what always fails neither runs all the time nor stands before
 * the rest.
 */
export const brokenWebhooks = boundedCache<string, true>({ max: 10_000, ttlMs: 300_000 });
