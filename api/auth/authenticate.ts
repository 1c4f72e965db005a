import type { IncomingMessage } from 'node:http';
import type { Context } from '../../shared/context.ts';
import { DomainError } from '../../shared/errors.ts';
import { authenticateApiKey } from '../../shared/keys/api-keys.ts';
import type { ApiKeyPrincipal, Auth, PrincipalOf } from '../route.ts';
import { bearerToken, unauthorized } from './bearer.ts';
import { devicePrincipal } from './device.ts';
import { identityPrincipal } from './identity.ts';
import { isOperator } from './operator.ts';

/** Who calls. Throws `unauthorized` (alike for every failure), `missing_scope` or `issuer_unavailable`. */
export async function authenticate(
  req: IncomingMessage,
  auth: Auth,
  ctx: Context,
): Promise<PrincipalOf<Auth>> {
  switch (auth.kind) {
    case 'none':
      return { kind: 'none' };
    case 'api-key':
      return apiKeyPrincipal(req, auth.scope, ctx);
    case 'device':
      return devicePrincipal(req, ctx);
    case 'idp':
      return identityPrincipal(req, ctx);
    case 'operator':
      if (!isOperator(req, ctx.config.operatorToken)) throw unauthorized();
      return { kind: 'operator' };
  }
}

async function apiKeyPrincipal(
  req: IncomingMessage,
  scope: (Auth & { kind: 'api-key' })['scope'],
  ctx: Context,
): Promise<ApiKeyPrincipal> {
  const token = bearerToken(req);
  const key = token === null ? null : await authenticateApiKey(ctx, token);
  if (!key) throw unauthorized();
  if (!key.scopes.includes(scope)) {
    throw new DomainError('missing_scope', `This key does not hold the scope ${scope}.`);
  }
  return {
    kind: 'api-key',
    keyId: key._id,
    orgId: key.org_id,
    userId: key.user_id,
    projectId: key.project_id,
  };
}
