import { z } from 'zod';
import { BUDGET_PERS, BUDGET_SCOPES, ENFORCEMENTS } from '../../budgets/rules/model.ts';
import { shown, thresholdOf, utilizationPct } from '../../budgets/rules/view.ts';
import { isVisible, type Viewer } from '../../budgets/rules/visible.ts';
import { shownEnd } from '../../budgets/rules/windows.ts';
import { CAUSES, type JudgedBudget, type RefusingBudget, remainingOf, type Verdict } from './judge.ts';
import { reasonOf } from './words.ts';

const cause = z
  .enum(CAUSES)
  .describe(
    '`spent`: usage has reached the threshold, or the estimate passes it. `held`: open reservations fill it. `share`: the ' +
      'caller holds as much of it as one may. `unreadable`: `on_error` denies. `unpriced`: the model has no price',
  );

const checkedBudget = z.strictObject({
  id: z.string(),
  name: z.string(),
  scope: z.enum(BUDGET_SCOPES),
  per: z
    .enum(BUDGET_PERS)
    .nullable()
    .describe("`user`: the caller's own part of a template, with the scope `user`; null: none"),
  enforce: z.enum(ENFORCEMENTS),
  threshold_now: z.number().describe('The threshold that decides now, in the unit of the metric'),
  remaining: z.number().describe('Amount left by usage and open reservations, in the unit of the metric'),
  utilization_pct: z.number(),
  refuses: z.boolean().describe('True when it refuses this call'),
  cause: cause.nullable().describe('Why it refuses; else null'),
  resets_at: z.string().nullable().describe('When its next window begins; null: never'),
});

/** The decision about a call, with the budgets that it counts in. */
export const checkAnswer = z.strictObject({
  allow: z.boolean().describe('False when a hard budget refuses'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why `refused_by` refuses, in words: without name and amount where this credential does not see it',
    ),
  refused_by: z
    .strictObject({
      id: z.string(),
      name: z.string().nullable().describe('Null where this credential does not see it'),
      cause,
      resets_at: z
        .string()
        .nullable()
        .describe('When its next window begins; null: never, or that does not help (`unpriced`)'),
    })
    .nullable()
    .describe(
      'The hard budget that refuses. When several do, it is the one whose window ends last, then the one with the ' +
        'smallest part of its threshold left, then the oldest',
    ),
  retry_at: z.string().nullable().describe('`resets_at` of `refused_by`'),
  budgets: z
    .array(checkedBudget)
    .describe('Every budget that the call counts in and that this credential sees, oldest first'),
});

/** A verdict as `checkAnswer` shows it to a credential. */
export function viewVerdict({ budgets, refusedBy }: Verdict, viewer: Viewer): z.output<typeof checkAnswer> {
  const refusal = refusedBy && viewRefusal(refusedBy, viewer);
  return {
    allow: refusedBy === null,
    reason: refusedBy && reasonOf(refusedBy, viewer),
    refused_by: refusal,
    retry_at: refusal?.resets_at ?? null,
    budgets: budgets.filter(({ budget }) => isVisible(viewer, budget)).map(viewJudged),
  };
}

function viewRefusal({ budget, cause, interval }: RefusingBudget, viewer: Viewer) {
  return {
    id: budget._id,
    name: isVisible(viewer, budget) ? budget.name : null,
    cause,
    // No window brings a price.
    resets_at: cause === 'unpriced' ? null : shownEnd(interval),
  };
}

function viewJudged(judged: JudgedBudget): z.output<typeof checkedBudget> {
  const { budget, interval, current, cause } = judged;
  return {
    id: budget._id,
    name: budget.name,
    scope: budget.scope,
    per: budget.per ?? null,
    enforce: budget.enforce,
    threshold_now: thresholdOf(budget),
    remaining: shown(budget.metric, remainingOf(judged)),
    utilization_pct: utilizationPct(current, budget.limit),
    refuses: cause !== null,
    cause,
    resets_at: shownEnd(interval),
  };
}
