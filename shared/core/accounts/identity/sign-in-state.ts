import { z } from 'zod';
import { within } from '../../../platform/basics/within.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import { fetchJson } from './fetch-bounded.ts';

/** How old an answer of the identity provider may be, and how old a failure, before it is asked again. */
const ASK_AFTER_MS = { answered: 30_000, failed: 5_000 };
/** An identity provider that takes longer counts as one that does not answer. */
const PATIENCE_MS = 900;

interface Provider {
  state: keyof typeof ASK_AFTER_MS | null;
  /** By `elapsed`. */
  askedAtMs: number;
  asking: Promise<void> | null;
}

const providerOf = perContext(
  (): Provider => ({ state: null, askedAtMs: Number.NEGATIVE_INFINITY, asking: null }),
);
const discovery = z.object({ issuer: z.string() });

/**
 * Returns a sentence that says why nobody can sign in to the dashboard now, or null. It waits a short while for the identity
 * provider, which is asked every 30 s at most, and every 5 s while it does not answer. Never throws.
 */
export async function whyNobodySignsIn(ctx: Context): Promise<string | null> {
  const { oidcIssuer, oidcClientId } = ctx.config;
  const settings = { OIDC_ISSUER: oidcIssuer, OIDC_CLIENT_ID: oidcClientId };
  const missing = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length > 0)
    return `Nobody can sign in: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set.`;
  const provider = providerOf(ctx);
  const ageMs = ctx.clock.elapsed() - provider.askedAtMs;
  if (provider.state === null || ageMs >= ASK_AFTER_MS[provider.state])
    await askProvider(ctx, provider, oidcIssuer ?? '');
  return provider.state === 'answered'
    ? null
    : 'Nobody can sign in: the discovery document of OIDC_ISSUER cannot be read.';
}

/** Asks once at a time. A late answer still counts for those who ask later. */
async function askProvider(ctx: Context, provider: Provider, issuer: string): Promise<void> {
  provider.asking ??= readDiscovery(issuer).then((state) => {
    Object.assign(provider, { state, askedAtMs: ctx.clock.elapsed(), asking: null });
  });
  await within(PATIENCE_MS, 'The identity provider', provider.asking).catch(() => {
    provider.state = 'failed';
  });
}

/** OpenID Connect Discovery 1.0, sections 4 and 4.3: the document must be the issuer's own. */
async function readDiscovery(issuer: string): Promise<'answered' | 'failed'> {
  try {
    const document = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    return discovery.parse(document).issuer === issuer ? 'answered' : 'failed';
  } catch {
    return 'failed';
  }
}
