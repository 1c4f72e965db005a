import type { ClientSession } from 'mongoose';
import { mapAtPace } from '../platform/basics/next-turn.ts';
import type { Context } from '../platform/context/context.ts';
import { teamsByUser } from '../usage/teams.ts';
import type { BudgetSet } from './count-signals.ts';
import { counterKey, scopeKey } from './keys.ts';
import { budgetRows } from './model.ts';

/** Budgets that one answer of MongoDB brings: they are decoded in one turn of the event loop. */
const BUDGETS_PER_TURN = 200;

/** The budgets of an organization, with the teams of its members when a budget asks for them. */
export async function readBudgetSet(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
): Promise<BudgetSet> {
  const budgets = await budgetRows(ctx)
    .find({ org_id: orgId }, { session: transaction, batchSize: BUDGETS_PER_TURN })
    .toArray();
  const hasTeams = budgets.some(({ scope }) => scope === 'team');
  const teamsOf = hasTeams ? await teamsByUser(ctx, orgId, transaction) : new Map<string, string[]>();
  const counters = new Map(await mapAtPace(budgets, (budget) => [counterKey(budget), budget] as const));
  return { byScope: Map.groupBy(counters.values(), scopeKey), teamsOf };
}
