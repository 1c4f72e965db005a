import type { Member } from '../../core/accounts/organizations/model.ts';
import type { Person, PersonRecord } from '../../core/hooks/wing.ts';
import { budgetRows } from '../../core/limits/budgets/rules/model.ts';
import type { Context } from '../../platform/context/context.ts';
import { refusalRows } from './model.ts';
import { viewRefusal } from './view.ts';
import { NAMES_NOBODY } from './write-tallies.ts';

/** Takes a person out of the refusals: the counts stay. Processes do the same with those that they have not written yet. */
export async function eraseRefusals(ctx: Context, { orgId, userId }: Person): Promise<number> {
  await refusalRows(ctx).updateMany({ org_id: orgId, user_id: userId }, NAMES_NOBODY);
  // They are no signals.
  return 0;
}

/** The refused calls of the member, as the member sees them, oldest first. */
export async function* exportRefusals(
  ctx: Context,
  { org_id, user_id }: Member,
): AsyncGenerator<PersonRecord> {
  const viewer = { orgId: org_id, userId: user_id, scopes: [] };
  const budgets = await budgetRows(ctx).find({ org_id }).toArray();
  const byId = new Map(budgets.map((budget) => [budget._id, budget]));
  for await (const row of refusalRows(ctx).find({ org_id, user_id }).sort({ first_at: 1, _id: 1 }))
    yield { kind: 'refusal', data: viewRefusal(row, byId.get(row.budget_id) ?? null, viewer) };
}
