import * as oidc from 'openid-client';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { perContext } from '../../shared/platform/context/per-context.ts';
import { exchange } from '../../shared/platform/outward/exchange.ts';

interface Kept {
  found: Promise<oidc.Configuration> | null;
  /** By `elapsed`. */
  readAtMs: number;
}

/** The age after which the issuer's metadata is read again. */
const REFRESH_AFTER_MS = 3_600_000;
/** The limits of each request: for metadata, and for tokens. */
const LIMITS = { deadlineMs: 5_000, mostBytes: 262_144 };

const keptOf = perContext((): Kept => ({ found: null, readAtMs: 0 }));

/** The identity provider, for the dashboard's client. Throws `not_ready` when none is set up, `issuer_unavailable` when it is silent. */
export async function issuerOf(ctx: Context): Promise<oidc.Configuration> {
  const kept = keptOf(ctx);
  const isOld = ctx.clock.elapsed() - kept.readAtMs > REFRESH_AFTER_MS;
  if (kept.found === null || isOld) {
    kept.readAtMs = ctx.clock.elapsed();
    kept.found = discover(ctx);
    kept.found.catch(() => {
      kept.found = null;
    });
  }
  return kept.found;
}

async function discover(ctx: Context): Promise<oidc.Configuration> {
  const { oidcIssuer, oidcClientId, oidcClientSecret, nodeEnv } = ctx.config;
  if (oidcIssuer === undefined || oidcClientId === undefined)
    throw new DomainError('not_ready', 'Nobody can sign in: OIDC_ISSUER and OIDC_CLIENT_ID are not set.');
  const isInsecure = nodeEnv !== 'production' && oidcIssuer.startsWith('http:');
  const authentication =
    oidcClientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(oidcClientSecret);
  try {
    return await oidc.discovery(new URL(oidcIssuer), oidcClientId, undefined, authentication, {
      execute: isInsecure ? [oidc.allowInsecureRequests] : [],
      timeout: LIMITS.deadlineMs / 1_000,
      [oidc.customFetch]: (url, request) => exchange(url, request as RequestInit, LIMITS),
    });
  } catch (error) {
    ctx.log.warn({ err: error }, 'the identity provider was not read');
    throw issuerUnavailable();
  }
}

export function issuerUnavailable(): DomainError {
  return new DomainError('issuer_unavailable', 'The identity provider does not answer. Try again.');
}
