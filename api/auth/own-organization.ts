import type { Organization } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { type Reader, wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { usersOfTeam } from '../../shared/core/accounts/organizations/teams.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/**
 * The organization that a path names, for a reader that may see all of it. Another organization looks like one that
 * never was (`not_found`); a reader of one user is refused (`missing_scope`).
 */
export async function ownOrganization(ctx: Context, reader: Reader, orgId: string): Promise<Organization> {
  if (orgId !== reader.orgId) throw new DomainError('not_found', 'There is no such organization.');
  return readOrganization(ctx, wholeOrganization(reader));
}

/** Refuses organizations on the plan `free`. Throws `plan_required`, with the organization's `plan`. */
export function requirePaidPlan({ plan }: Organization): void {
  if (plan !== 'free') return;
  throw new DomainError('plan_required', 'This needs the plan team or enterprise.', { plan });
}

/**
 * The members of the team that a filter names, for a reader that may see all of the organization; undefined without a team.
 * Throws `missing_scope` for a reader of one user, and `plan_required`.
 */
export async function usersOfNamedTeam(
  ctx: Context,
  reader: Reader,
  team: string | undefined,
): Promise<readonly string[] | undefined> {
  if (team === undefined) return undefined;
  const organization = await readOrganization(ctx, wholeOrganization(reader));
  requirePaidPlan(organization);
  return usersOfTeam(ctx, organization._id, team);
}
