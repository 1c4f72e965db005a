import { memberRows } from '../organizations/model.ts';
import type { Context } from '../platform/context/context.ts';
import { overrideKey } from './keys.ts';
import { type Budget, personOverrideRows } from './model.ts';
import { budgetOfPerson, exceptionsOf } from './people.ts';

/** The budgets of one user of an organization. */
export interface OfUser {
  orgId: string;
  userId: string;
}

/**
 * The user's own budgets of these templates, by the template's id. A template is left out that does not count this user: another
 * team's, or one that the user is exempt from.
 */
export async function readOwnBudgets(
  ctx: Context,
  { orgId, userId }: OfUser,
  templates: readonly Budget[],
): Promise<Map<string, Budget>> {
  if (templates.length === 0) return new Map();
  const ids = templates.map(({ _id }) => overrideKey(_id, userId));
  const [member, overrides] = await Promise.all([
    memberRows(ctx).findOne({ org_id: orgId, user_id: userId }, { projection: { teams: 1 } }),
    personOverrideRows(ctx)
      .find({ _id: { $in: ids } })
      .toArray(),
  ]);
  const teams = member?.teams ?? [];
  const counting = templates.filter(({ scope, scope_id }) => scope === 'org' || teams.includes(scope_id));
  const own = counting.map((budget): [string, Budget | null] => {
    const exceptions = exceptionsOf(
      budget,
      overrides.filter(({ budget_id }) => budget_id === budget._id),
    );
    return [budget._id, budgetOfPerson({ budget, exceptions }, userId)];
  });
  return new Map(own.filter((entry): entry is [string, Budget] => entry[1] !== null));
}
