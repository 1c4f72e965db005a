import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { IDP_AUDIENCE, IDP_CLIENT_ID, issuerOf, MCP_TOKEN_SCOPE, readIdpState } from './state.ts';

/**
 * An access token of the embedded identity provider, as its token endpoint would give one (RFC 9068), without a
 * browser: for the credentials that `scripts/up` shows. Verifies by the same JWKS.
 */
export async function issueSessionToken(options: {
  dataDir: string;
  sub: string;
  lifetimeS: number;
  /** The MCP endpoint, for an agent's token instead. */
  mcpEndpoint?: string;
}): Promise<string> {
  const state = readIdpState(options.dataDir);
  const nowS = Math.floor(systemClock.now() / 1_000);
  return new SignJWT({ client_id: IDP_CLIENT_ID, scope: options.mcpEndpoint ? MCP_TOKEN_SCOPE : 'api' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: state.key.kid })
    .setIssuer(issuerOf(state))
    .setAudience(options.mcpEndpoint ?? IDP_AUDIENCE)
    .setSubject(options.sub)
    .setJti(randomUUID())
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + options.lifetimeS)
    .sign(await importJWK(state.key, 'RS256'));
}
