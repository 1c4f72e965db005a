import { createLocalJWKSet, errors, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { z } from 'zod';
import type { Config } from '../../../platform/basics/config.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import { fetchJson } from './fetch-bounded.ts';

/** How old the keys may be before they are read again. A key that the issuer withdrew goes on for at most this long. */
const REFRESH_AFTER_MS = 600_000;
/** Tokens that name unknown keys cause at most one fetch in this time. */
const COOLDOWN_MS = 30_000;
/** The same while no keys were read yet, when nobody can be let in. */
const COLD_COOLDOWN_MS = 2_000;

/** Times are by `elapsed`. */
interface KeyCache {
  keys: LocalJWKSet | null;
  fetchedAtMs: number;
  triedAtMs: number;
  fetching: Promise<void> | null;
}

const NEVER_MS = Number.NEGATIVE_INFINITY;
const cacheOf = perContext(
  (): KeyCache => ({ keys: null, fetchedAtMs: NEVER_MS, triedAtMs: NEVER_MS, fetching: null }),
);

/**
 * Finds the issuer's public key for a token. Known keys go on while the issuer is down. For an unknown `kid` the keys are
 * read again, at most every 30 s. Throws `issuer_unavailable` while no keys were ever read.
 */
export function issuerKeys(ctx: Context): JWTVerifyGetKey {
  const cache = cacheOf(ctx);
  return async (header, token) => {
    const known = cache.keys ?? (await readFirst(ctx, cache));
    if (isPast(ctx, cache.fetchedAtMs, REFRESH_AFTER_MS)) void refresh(ctx, cache, COOLDOWN_MS);
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh(ctx, cache, COOLDOWN_MS);
      if (cache.keys === null || cache.keys === known) throw error;
      return cache.keys(header, token);
    }
  };
}

async function readFirst(ctx: Context, cache: KeyCache): Promise<LocalJWKSet> {
  await refresh(ctx, cache, COLD_COOLDOWN_MS);
  if (cache.keys === null)
    throw new DomainError('issuer_unavailable', "The identity provider's keys cannot be read now.");
  return cache.keys;
}

/** Fetches the keys: once at a time, and not within `cooldownMs` of the last try. Never throws: the old keys stay. */
function refresh(ctx: Context, cache: KeyCache, cooldownMs: number): Promise<void> {
  if (cache.fetching) return cache.fetching;
  if (!isPast(ctx, cache.triedAtMs, cooldownMs)) return Promise.resolve();
  cache.triedAtMs = ctx.clock.elapsed();
  cache.fetching = fetchKeys(ctx)
    .then((keys) => {
      cache.keys = keys;
      cache.fetchedAtMs = ctx.clock.elapsed();
    })
    .catch((error: unknown) => ctx.log.warn({ err: error }, "the identity provider's keys were not read"))
    .finally(() => {
      cache.fetching = null;
    });
  return cache.fetching;
}

/** True when a duration has passed. */
function isPast(ctx: Context, sinceMs: number, durationMs: number): boolean {
  return ctx.clock.elapsed() - sinceMs >= durationMs;
}

const httpUrl = z.url({ protocol: /^https?$/ });
const discovery = z.object({ issuer: z.string(), jwks_uri: httpUrl });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

async function fetchKeys(ctx: Context): Promise<LocalJWKSet> {
  const url = ctx.config.oidcJwksUrl ?? (await discoverKeysUrl(ctx.config));
  return createLocalJWKSet(keySet.parse(await fetchJson(url)));
}

/** OpenID Connect Discovery 1.0, sections 4 and 4.3: the document must be the issuer's own. */
async function discoverKeysUrl({ oidcIssuer: issuer = '', nodeEnv }: Config): Promise<string> {
  const found = discovery.parse(
    await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
  );
  if (found.issuer !== issuer) throw new Error(`The issuer ${issuer} calls itself ${found.issuer}`);
  if (nodeEnv === 'production' && !found.jwks_uri.startsWith('https:'))
    throw new Error(`The issuer ${issuer} names a jwks_uri that is not https`);
  return found.jwks_uri;
}
