import type { IncomingMessage } from 'node:http';
import { findMemberByIdentity } from '../../shared/core/accounts/identity/find-member.ts';
import { verifyAccessToken } from '../../shared/core/accounts/identity/verify-access-token.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { IdentityPrincipal } from '../basics/route.ts';
import { bearerToken, unauthorized } from './bearer.ts';

/** The member whose session this is. Throws `unauthorized`, alike for every failure, or `issuer_unavailable`. */
export async function identityPrincipal(
  req: IncomingMessage,
  ctx: Context,
  beforeLookup: () => Promise<void>,
): Promise<IdentityPrincipal> {
  const token = bearerToken(req);
  if (token === null || !isJwt(token)) throw unauthorized();
  await beforeLookup();
  const identity = await verifyAccessToken(ctx, token);
  const member = identity === null ? null : await findMemberByIdentity(ctx, identity);
  if (!member) throw unauthorized();
  return {
    kind: 'idp',
    accountId: member._id,
    orgId: member.org_id,
    userId: member.user_id,
    role: member.role,
  };
}

/** True when a token has the form of a signed JWT (RFC 7515, compact). */
function isJwt(token: string): boolean {
  return token.split('.').length === 3;
}
