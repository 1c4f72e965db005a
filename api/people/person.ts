import type { Request } from 'express';
import { findMemberByAccount } from '../../shared/core/accounts/identity/find-member.ts';
import type { Member } from '../../shared/core/accounts/organizations/model.ts';
import type { Scope } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { unauthorized } from '../auth/bearer.ts';
import type { Auth, PrincipalOf } from '../basics/route.ts';
import { signedIn } from './browser-session.ts';

/** `signals:write` is there for closing a session: the route that posts signals is not mounted. */
const ADMIN_SCOPES: readonly Scope[] = [
  'usage:read',
  'org:read',
  'webhooks:write',
  'budgets:write',
  'signals:write',
  'signals:correct',
  'members:read',
  'exports:write',
  'prices:read',
  'prices:write',
];
/** `budgets:check` is there for the state of the own budgets: the routes that ask before a call are not mounted. */
const MEMBER_SCOPES: readonly Scope[] = ['usage:read', 'budgets:check'];

/**
 * The member who is signed in, as of now: a removal, another role or another identity holds from the next request. Throws
 * `unauthorized`.
 */
export async function readPerson(ctx: Context, req: Request): Promise<Member> {
  const who = signedIn(ctx, req);
  const member = who && (await findMemberByAccount(ctx, who.accountId));
  const isSame = member?.idp?.iss === who?.identity.iss && member?.idp?.sub === who?.identity.sub;
  if (!member || !isSame) throw unauthorized();
  return member;
}

/**
 * A person in the place of a credential. On a route for API keys an admin stands for the whole organization, a member for
 * their own user alone; limits count the account. Throws `unauthorized`.
 */
export async function authenticatePerson(req: Request, auth: Auth, ctx: Context): Promise<PrincipalOf<Auth>> {
  const member = await readPerson(ctx, req);
  const { _id: accountId, org_id: orgId, user_id: userId, role } = member;
  if (auth.kind === 'idp') return { kind: 'idp', accountId, orgId, userId, role };
  if (auth.kind !== 'api-key') throw unauthorized();
  const person = { kind: 'api-key', isPerson: true, keyId: accountId, orgId, projectId: null } as const;
  if (role === 'admin') return { ...person, scopes: ADMIN_SCOPES, userId: null };
  if (auth.scope !== undefined && !MEMBER_SCOPES.includes(auth.scope))
    throw new DomainError('missing_scope', 'Admins of the organization may do this.');
  return { ...person, scopes: MEMBER_SCOPES, userId };
}
