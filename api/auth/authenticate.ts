import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { Auth, PrincipalOf } from '../basics/route.ts';
import { agentPrincipal } from './agent.ts';
import { apiKeyPrincipal } from './api-key.ts';
import { unauthorized } from './bearer.ts';
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
    case 'agent':
      return agentPrincipal(req, ctx, beforeLookup);
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
