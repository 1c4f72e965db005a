import { z } from 'zod';
import { readOrganization } from '../organizations/read-organization.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { serialized } from '../usage/serialized.ts';
import { countSince } from './count-windows.ts';
import { decideFields } from './decide-fields.ts';
import { amountIn, stateOf } from './evaluate.ts';
import type { BudgetInput } from './input.ts';
import { refusesNow, shown, thresholdOf, utilizationPct } from './view.ts';
import { windowAt } from './windows.ts';

/** The state that a budget would have from its creation on. */
export const budgetPreview = z.strictObject({
  current: z.number().describe('Usage in the open window; with `per` that of the person who is furthest'),
  threshold: z.number(),
  utilization_pct: z.number(),
  state: z.enum(['ok', 'warning', 'exceeded']),
  refuses_now: z.boolean().describe('True when it would refuse every call that is not free'),
  people: z.int().nullable().describe('How many people would be refused; null without `per`'),
});

/**
 * Counts the open window of a budget that does not exist, from the rollups, and writes nothing. Throws `invalid_request` where
 * `createBudget` does.
 */
export async function previewBudget(
  ctx: Context,
  orgId: string,
  input: BudgetInput,
): Promise<z.output<typeof budgetPreview>> {
  const organization = await readOrganization(ctx, orgId);
  const nowMs = ctx.clock.now();
  const budget = decideFields(organization, input, nowMs);
  const { metric, limit } = budget;
  const open = windowAt(budget, nowMs);
  const { windows } = await serialized(ctx, orgId, () =>
    inTransaction(ctx.db, (transaction) =>
      countSince(ctx, organization, { counter: budget, sinceMs: open.startMs }, transaction),
    ),
  );
  const byPerson = Map.groupBy(windows, ({ person }) => person);
  const amounts = [...byPerson.values()].map((own) => amountIn(metric, own, open));
  const current = Math.max(0, ...amounts);
  return {
    current: shown(metric, current),
    threshold: thresholdOf(budget),
    utilization_pct: utilizationPct(current, limit),
    state: stateOf(current, limit),
    refuses_now: refusesNow(budget, current),
    people: budget.per ? amounts.filter((amount) => refusesNow(budget, amount)).length : null,
  };
}
