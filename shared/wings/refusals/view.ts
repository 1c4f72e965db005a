import { z } from 'zod';
import type { Budget } from '../../core/limits/budgets/rules/model.ts';
import { isVisible, type Viewer } from '../../core/limits/budgets/rules/visible.ts';
import { CAUSES } from '../../core/limits/enforcement/check/judge.ts';
import { REFUSAL_WAYS } from '../../core/limits/enforcement/check/refused.ts';
import { usd4 } from '../../core/pricing/money.ts';
import { isoTime } from '../../platform/basics/clock.ts';
import type { RefusalRow } from './model.ts';

export const refusalView = z.strictObject({
  id: z.string(),
  user_id: z.string().nullable().describe('Null: nobody by name'),
  budget_id: z.string().describe('The budget that refused, `refused_by` of the answer'),
  budget_name: z
    .string()
    .nullable()
    .describe('Null where this credential does not see the budget, or it is deleted'),
  adapter: z.string().nullable().describe('The tool, where the caller named it'),
  way: z.enum(REFUSAL_WAYS),
  cause: z.enum(CAUSES),
  count: z.int(),
  first_at: z.string(),
  last_at: z.string(),
  largest_estimate_usd: z.number().nullable(),
  client_session_id: z.string().nullable().describe('The session of the client that was named last'),
});

/** A refusal as a credential sees it. No amount of a budget is in it. `budget` is null for one that is deleted. */
export function viewRefusal(
  row: RefusalRow,
  budget: Budget | null,
  viewer: Viewer,
): z.output<typeof refusalView> {
  const { largest_estimate_nusd: largest, sessions = {} } = row;
  const [lastSession] = Object.values(sessions).toSorted((a, b) => b.at.getTime() - a.at.getTime());
  return {
    id: row._id,
    user_id: row.user_id,
    budget_id: row.budget_id,
    budget_name: budget && isVisible(viewer, ownPart(budget, row)) ? budget.name : null,
    adapter: row.adapter,
    way: row.way,
    cause: row.cause,
    count: Object.values(row.counts).reduce((sum, count) => sum + count, 0),
    first_at: isoTime(row.first_at.getTime()),
    last_at: isoTime(row.last_at.getTime()),
    largest_estimate_usd: largest === undefined ? null : usd4(largest),
    client_session_id: lastSession?.id ?? null,
  };
}

/** The scope of a budget; of a template that of the person whose call it refused. */
function ownPart(budget: Budget, { user_id }: RefusalRow): Pick<Budget, 'scope' | 'scope_id' | 'owner'> {
  return budget.per && user_id !== null ? { scope: 'user', scope_id: user_id } : budget;
}
