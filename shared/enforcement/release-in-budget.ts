import { auditWrite } from '../audit/record-audit.ts';
import { budgetRows } from '../budgets/model.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { commitPlan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { releaseMatching } from './release.ts';

/**
 * Releases the open reservations of a budget, those of one key or one user where they are named, and returns how many there
 * were. The audit log gets its line first: nothing is released that it does not know of. Throws `not_found`, and as
 * `releaseMatching`.
 */
export async function releaseInBudget(
  ctx: Context,
  orgId: string,
  budgetId: string,
  { user_id, key_id }: { user_id?: string | undefined; key_id?: string | undefined },
): Promise<number> {
  const details = {
    budget_id: budgetId,
    ...(user_id === undefined ? {} : { user_id }),
    ...(key_id === undefined ? {} : { key_id }),
  };
  await commitPlan(ctx, async (transaction) => {
    const budget = await budgetRows(ctx).findOne({ _id: budgetId }, { session: transaction });
    if (budget?.org_id !== orgId) throw new DomainError('not_found', 'There is no such budget.');
    const entry = { action: 'budget.release_reservations', org_id: orgId, details };
    return { writes: [auditWrite(ctx, entry)], wakeUps: [], result: undefined };
  });
  return releaseMatching(ctx, orgId, { budgetId, userId: user_id, keyId: key_id });
}
