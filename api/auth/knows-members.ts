import type { ApiKeyPrincipal } from '../basics/route.ts';

/** True for a key, or a person in its place, that may read names, e-mails and teams of members. */
export function knowsMembers({ userId, scopes }: ApiKeyPrincipal): boolean {
  return userId === null && scopes.includes('members:read');
}
