import { type JWTPayload, jwtVerify } from 'jose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { mcpAudience } from '../../../platform/basics/config.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { issuerKeys } from './issuer-keys.ts';

/** Only asymmetric algorithms: with HS256 in the list, anyone who knows a public key could sign. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
/** How far the issuer's clock may be off. */
const TOLERANCE_S = 30;
const LONGEST_SUBJECT = 255;

export interface Identity {
  iss: string;
  sub: string;
}

/**
 * The identity that an OIDC access token (RFC 9068) names, or null for every way in which the token can be wrong. Throws
 * `issuer_unavailable` only when nothing can be decided because the issuer's keys were never read.
 */
export async function verifyAccessToken(ctx: Context, token: string): Promise<Identity | null> {
  const { oidcAudience } = ctx.config;
  const verified = oidcAudience === undefined ? null : await verify(ctx, token, oidcAudience);
  return verified?.identity ?? null;
}

/**
 * The identity and the scopes of an access token for the MCP endpoint (`MCP_AUDIENCE`), or null. A token that is also for
 * `OIDC_AUDIENCE` is none: an agent's token opens nothing else. Throws as `verifyAccessToken`.
 */
export async function verifyAgentToken(
  ctx: Context,
  token: string,
): Promise<{ identity: Identity; scopes: readonly string[] } | null> {
  const verified = await verify(ctx, token, mcpAudience(ctx.config));
  if (verified === null) return null;
  const { identity, payload } = verified;
  if ([payload.aud].flat().includes(ctx.config.oidcAudience)) return null;
  return { identity, scopes: typeof payload.scope === 'string' ? payload.scope.split(' ') : [] };
}

async function verify(
  ctx: Context,
  token: string,
  audience: string,
): Promise<{ identity: Identity; payload: JWTPayload } | null> {
  const { oidcIssuer, oidcTokenType, oidcMaxTokenAgeS } = ctx.config;
  if (oidcIssuer === undefined) return null;
  try {
    const { payload } = await jwtVerify(token, issuerKeys(ctx), {
      algorithms: ALGORITHMS,
      issuer: oidcIssuer,
      audience,
      typ: oidcTokenType,
      requiredClaims: ['exp', 'sub'],
      maxTokenAge: oidcMaxTokenAgeS,
      clockTolerance: TOLERANCE_S,
      currentDate: dateAt(ctx.clock.now()),
    });
    const { sub } = payload;
    const isSubject = typeof sub === 'string' && sub.length > 0 && sub.length <= LONGEST_SUBJECT;
    return isSubject ? { identity: { iss: oidcIssuer, sub }, payload } : null;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    return null;
  }
}
