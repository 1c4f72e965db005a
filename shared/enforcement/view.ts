import { z } from 'zod';
import { ENFORCEMENTS } from '../budgets/model.ts';
import { shown, utilizationPct } from '../budgets/view.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { remainingOf, type Verdict } from './judge.ts';
import type { OpenBudget } from './standing.ts';

const checkedBudget = z.strictObject({
  id: z.string(),
  name: z.string(),
  enforce: z.enum(ENFORCEMENTS),
  remaining: z
    .number()
    .describe('What neither usage nor an open reservation takes, in the unit of the metric'),
  utilization_pct: z.number(),
  resets_at: z.string().describe('When its next window begins'),
});

/** Whether a call may be made, and how the budgets stand that it counts in. */
export const checkAnswer = z.strictObject({
  allow: z.boolean().describe('False when a hard budget refuses'),
  reason: z.string().nullable().describe('Names the first budget that refuses; else null'),
  budgets: z.array(checkedBudget).describe('Every budget that the call counts in, oldest first'),
});

/** A verdict as `checkAnswer` shows it. */
export function viewVerdict({ allow, reason, budgets }: Verdict): z.output<typeof checkAnswer> {
  return { allow, reason, budgets: budgets.map(viewOpenBudget) };
}

function viewOpenBudget(open: OpenBudget): z.output<typeof checkedBudget> {
  const { budget, interval, current } = open;
  return {
    id: budget._id,
    name: budget.name,
    enforce: budget.enforce,
    remaining: shown(budget.metric, remainingOf(open)),
    utilization_pct: utilizationPct(current, budget.limit),
    resets_at: isoTime(interval.endMs),
  };
}
