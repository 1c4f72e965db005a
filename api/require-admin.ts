import { DomainError } from '../shared/errors.ts';
import type { IdentityPrincipal } from './route.ts';

/** The organization of an admin. Throws `missing_scope` for anybody else. */
export function requireAdmin({ role, orgId }: IdentityPrincipal): string {
  if (role === 'admin') return orgId;
  throw new DomainError('missing_scope', 'An admin of the organization may do this.');
}
