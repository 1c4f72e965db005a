import type { Organization } from '../shared/organizations/model.ts';
import { readOrganization } from '../shared/organizations/read-organization.ts';
import { DomainError } from '../shared/platform/basics/errors.ts';
import type { Context } from '../shared/platform/context/context.ts';
import type { ApiKeyPrincipal } from './route.ts';

/**
 * The organization that a path names, for a key that may see all of it. Another's looks like one that never was
 * (`not_found`); a key bound to one user may not (`missing_scope`); a free plan does not include it (`plan_required`).
 */
export async function ownOrganization(
  ctx: Context,
  principal: ApiKeyPrincipal,
  orgId: string,
): Promise<Organization> {
  if (orgId !== principal.orgId) throw new DomainError('not_found', 'There is no such organization.');
  if (principal.userId !== null) {
    throw new DomainError(
      'missing_scope',
      'This key is bound to one user and does not see the organization.',
    );
  }
  const organization = await readOrganization(ctx, orgId);
  if (organization.plan === 'free') {
    throw new DomainError('plan_required', 'This needs the plan team or enterprise.', {
      plan: organization.plan,
    });
  }
  return organization;
}
