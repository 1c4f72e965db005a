import type { IncomingMessage } from 'node:http';
import { findMemberByIdentity } from '../../shared/core/accounts/identity/find-member.ts';
import { verifyAgentToken } from '../../shared/core/accounts/identity/verify-access-token.ts';
import { baseUrl, type Config } from '../../shared/platform/basics/config.ts';
import { DomainError, isCode } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';
import { apiKeyPrincipal } from './api-key.ts';
import { bearerToken, unauthorized } from './bearer.ts';

/** The scopes that a person's access token for the MCP endpoint may hold. */
export const AGENT_SCOPES = ['usage:read', 'budgets:check'] as const;

/**
 * The caller of the MCP endpoint: an API key, or a person's access token with `MCP_AUDIENCE` (RFC 8707). A member sees the
 * own usage, an admin the organization's. Throws `cross_site` for a page of another origin, before the credential is read;
 * `unauthorized` with the challenge of RFC 9728 section 5.1; `issuer_unavailable`.
 */
export async function agentPrincipal(
  req: IncomingMessage,
  ctx: Context,
  beforeLookup: () => Promise<void>,
): Promise<ApiKeyPrincipal> {
  refuseForeignOrigin(req, ctx.config);
  try {
    const isJwt = bearerToken(req)?.split('.').length === 3;
    return await (isJwt
      ? personPrincipal(req, ctx, beforeLookup)
      : apiKeyPrincipal(req, {}, ctx, beforeLookup));
  } catch (error) {
    if (!isCode(error, 'unauthorized')) throw error;
    throw new DomainError(error.code, error.message, { challenge: challengeOf(ctx.config) });
  }
}

async function personPrincipal(
  req: IncomingMessage,
  ctx: Context,
  beforeLookup: () => Promise<void>,
): Promise<ApiKeyPrincipal> {
  await beforeLookup();
  const verified = await verifyAgentToken(ctx, bearerToken(req) ?? '');
  const member = verified && (await findMemberByIdentity(ctx, verified.identity));
  if (!member) throw unauthorized();
  return {
    kind: 'api-key',
    isPerson: true,
    keyId: member._id,
    orgId: member.org_id,
    scopes: AGENT_SCOPES.filter((scope) => verified.scopes.includes(scope)),
    userId: member.role === 'admin' ? null : member.user_id,
    projectId: null,
  };
}

function refuseForeignOrigin({ headers: { origin } }: IncomingMessage, config: Config): void {
  if (origin === undefined || origin === new URL(baseUrl(config)).origin) return;
  if (config.mcpAllowedOrigins.includes(origin)) return;
  throw new DomainError(
    'cross_site',
    'A page of another site asked. MCP_ALLOWED_ORIGINS names those that may.',
  );
}

/**
 * The value of `WWW-Authenticate` that leads a client to the issuer (RFC 9728 section 5.1), with the scopes that it should
 * ask for; `error` as in RFC 6750 section 3.1. Without an issuer only the scheme.
 */
export function challengeOf(
  config: Config,
  scopes: readonly string[] = AGENT_SCOPES,
  error?: 'insufficient_scope',
): string {
  const metadata = `resource_metadata="${baseUrl(config)}/.well-known/oauth-protected-resource/mcp"`;
  const parts = [
    ...(error ? [`error="${error}"`] : []),
    ...(config.oidcIssuer === undefined ? [] : [metadata]),
    ...(config.oidcIssuer === undefined && !error ? [] : [`scope="${scopes.join(' ')}"`]),
  ];
  return parts.length === 0 ? 'Bearer' : `Bearer ${parts.join(', ')}`;
}
