import { z } from 'zod';
import type { Person } from '../../../shared/core/hooks/wing.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { text } from '../../../shared/platform/basics/text.ts';
import type { Approver } from '../../../shared/wings/raises/answer.ts';
import { RAISE_STATES } from '../../../shared/wings/raises/model.ts';
import type { RaiseViewer } from '../../../shared/wings/raises/view.ts';
import type { ApiKeyPrincipal, IdentityPrincipal } from '../../basics/route.ts';
import { pageQuery } from '../../schemas/page.ts';

export const raiseParams = z.strictObject({ id: text(128).describe('Raise id') });

export const raiseQuery = z.strictObject({
  status: z.enum(RAISE_STATES).optional().describe('Filter by state, as of now'),
  budget_id: text(128).optional().describe('Filter by budget'),
  user_id: text(256).optional().describe('Filter by the person who asked'),
  ...pageQuery,
});

/** The person that a key is bound to. Throws `missing_scope` for a key that is bound to nobody. */
export function personOf({ orgId, userId }: ApiKeyPrincipal): Person {
  if (userId !== null) return { orgId, userId };
  throw new DomainError('missing_scope', 'A person asks for a raise: use a key that is bound to one user.');
}

/** A key that reads raises: one that is bound reads its user's. Throws `missing_scope`. */
export function keyViewer(principal: ApiKeyPrincipal): RaiseViewer {
  const { userId, scopes } = principal;
  if (scopes.includes('usage:read') || (userId !== null && scopes.includes('budgets:check')))
    return principal;
  throw new DomainError('missing_scope', 'This key needs the scope usage:read, or a user and budgets:check.');
}

export function personViewer({ orgId, userId, role }: IdentityPrincipal): RaiseViewer {
  return role === 'admin'
    ? { orgId, userId: null, scopes: ['usage:read'], isAdmin: true }
    : { orgId, userId, scopes: [] };
}

export function approverOf({ orgId, userId, accountId }: IdentityPrincipal): Approver {
  return { orgId, userId, accountId };
}
