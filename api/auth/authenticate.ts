import type { IncomingMessage } from 'node:http';
import { authenticateApiKey, keyIdOf } from '../../shared/keys/api-keys.ts';
import { authenticateFromMemory } from '../../shared/keys/remembered-keys.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { ApiKeyPrincipal, Auth, PrincipalOf } from '../basics/route.ts';
import { bearerToken, unauthorized } from './bearer.ts';
import { devicePrincipal } from './device.ts';
import { identityPrincipal } from './identity.ts';
import { isOperator } from './operator.ts';

/**
 * The caller behind a request's credential. Throws `unauthorized`, alike for every failure, or
 * `issuer_unavailable`. `beforeLookup` is called before anything that costs: it may refuse.
 */
export async function authenticate(
  req: IncomingMessage,
  auth: Auth,
  ctx: Context,
  beforeLookup: () => Promise<void>,
): Promise<PrincipalOf<Auth>> {
  switch (auth.kind) {
    case 'none':
      return { kind: 'none' };
    case 'api-key':
      return apiKeyPrincipal(req, auth, ctx, beforeLookup);
    case 'device':
      return devicePrincipal(req, ctx);
    case 'idp':
      return identityPrincipal(req, ctx, beforeLookup);
    case 'operator':
      if (!isOperator(req, ctx.config.operatorToken)) throw unauthorized();
      return { kind: 'operator' };
  }
}

/** Refuses a key without the scope that the route needs, and a person without the role. Throws `missing_scope`. */
export function requireScope(principal: PrincipalOf<Auth>, auth: Auth): void {
  if (auth.kind === 'idp' && auth.role === 'admin' && principal.kind === 'idp' && principal.role !== 'admin')
    throw new DomainError('missing_scope', 'Only an admin of the organization may do this.');
  if (auth.kind !== 'api-key' || principal.kind !== 'api-key' || auth.scope === undefined) return;
  if (principal.scopes.includes(auth.scope)) return;
  throw new DomainError('missing_scope', `This key does not hold the scope ${auth.scope}.`);
}

async function apiKeyPrincipal(
  req: IncomingMessage,
  { fromMemory }: Extract<Auth, { kind: 'api-key' }>,
  ctx: Context,
  beforeLookup: () => Promise<void>,
): Promise<ApiKeyPrincipal> {
  const token = bearerToken(req);
  if (token === null || keyIdOf(ctx, token) === null) throw unauthorized();
  await beforeLookup();
  const key = await (fromMemory ? authenticateFromMemory : authenticateApiKey)(ctx, token);
  if (!key) throw unauthorized();
  return {
    kind: 'api-key',
    keyId: key._id,
    orgId: key.org_id,
    scopes: key.scopes,
    userId: key.user_id,
    projectId: key.project_id,
  };
}
