import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../../packages/stack/files.ts';
import { findFreePort, isPortFree } from '../../packages/stack/ports.ts';

/** The audience of access tokens of the embedded identity provider, and the client id of the dashboard. */
export const IDP_AUDIENCE = 'urn:usage-governor:api';
export const IDP_CLIENT_ID = 'usage-governor-dashboard';
/** The scope of access tokens for the MCP endpoint, whose audience is the endpoint's address. */
export const MCP_TOKEN_SCOPE = 'usage:read budgets:check';

const idpState = z.object({
  port: z.int(),
  /** Private RSA key as JWK. */
  key: z.looseObject({ kty: z.literal('RSA'), kid: z.string() }),
  cookieKey: z.string(),
});
export type IdpState = z.infer<typeof idpState>;

/**
 * Key and port of a data folder's identity provider, made once and kept (0600), so that sessions survive a restart.
 * The port changes only when the kept one is taken. Then the issuer's name changes too, and members are linked anew.
 */
export async function ensureIdpState(dataDir: string): Promise<IdpState> {
  const kept = idpState.nullable().parse(readJson(statePath(dataDir)));
  if (kept && (await isPortFree(kept.port))) return kept;
  const state = { ...(kept ?? (await newSecrets())), port: await findFreePort() };
  writePrivateJson(statePath(dataDir), state);
  return state;
}

/** The state that `ensureIdpState` has kept. */
export function readIdpState(dataDir: string): IdpState {
  return idpState.parse(readJson(statePath(dataDir)));
}

/** The issuer's URL. */
export function issuerOf(state: IdpState): string {
  return `http://127.0.0.1:${state.port}`;
}

/** The variables that make an api trust this provider. */
export function idpEnvironment(state: IdpState): Record<string, string> {
  return { OIDC_ISSUER: issuerOf(state), OIDC_AUDIENCE: IDP_AUDIENCE, OIDC_CLIENT_ID: IDP_CLIENT_ID };
}

async function newSecrets(): Promise<Omit<IdpState, 'port'>> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = `idp-${randomBytes(6).toString('hex')}`;
  const jwk = { ...(await exportJWK(privateKey)), kty: 'RSA' as const, kid, alg: 'RS256', use: 'sig' };
  return { key: jwk, cookieKey: randomBytes(32).toString('base64url') };
}

function statePath(dataDir: string): string {
  return join(dataDir, 'idp.json');
}
