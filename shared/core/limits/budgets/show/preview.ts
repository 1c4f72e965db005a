import { z } from 'zod';
import type { Context } from '../../../../platform/context/context.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import { serialized } from '../../../calls/usage/serialized.ts';
import { decideChange, freshBudget } from '../change/change-budgets.ts';
import { claimOwner } from '../change/decide-owner.ts';
import { countSince } from '../count/count-windows.ts';
import { amountIn, stateOf } from '../rules/evaluate.ts';
import { inForce } from '../rules/in-force.ts';
import type { BudgetInput } from '../rules/input.ts';
import { findBudget } from '../rules/model.ts';
import { budgetOfNobody, budgetOfPerson } from '../rules/people.ts';
import { readExceptions } from '../rules/read-exceptions.ts';
import { refuseUnknownProviders } from '../rules/refuse-providers.ts';
import { refusesNow, shown, thresholdOf, utilizationPct } from '../rules/view.ts';
import { windowAt } from '../rules/windows.ts';

/** The state that a budget would have from its creation or its change on. */
export const budgetPreview = z.strictObject({
  current: z.number().describe('Usage in the open window; with `per` that of the person who is furthest'),
  threshold: z
    .number()
    .describe(
      'The threshold that decides: with raises in force; with `per` that of the person who is furthest',
    ),
  utilization_pct: z.number(),
  state: z.enum(['ok', 'warning', 'exceeded']),
  refuses_now: z.boolean().describe('True when it would refuse every call that is not free'),
  people: z.int().nullable().describe('How many people would be refused; null without `per`'),
});

/**
 * Counts the open window of a budget from the rollups, and writes nothing: of a new one, or of `budgetId` as its change to this
 * input would leave it, with its raises and exceptions. Throws where `createBudget` or `changeBudget` does.
 */
export async function previewBudget(
  ctx: Context,
  orgId: string,
  input: BudgetInput,
  budgetId?: string,
): Promise<z.output<typeof budgetPreview>> {
  const organization = await readOrganization(ctx, orgId);
  const nowMs = ctx.clock.now();
  const { budget, exceptions, windows, open } = await serialized(ctx, orgId, () =>
    inTransaction(ctx.db, async (transaction) => {
      const before = budgetId && (await findBudget(ctx, orgId, budgetId, transaction));
      const budget = before
        ? { ...before, ...(await decideChange(ctx, organization, before, input, transaction)) }
        : freshBudget(organization, input, nowMs);
      await claimOwner(ctx, orgId, input.owner, transaction);
      if (!before) await refuseUnknownProviders(ctx, organization, budget.filter, transaction);
      const exceptions = await readExceptions(ctx, budget, transaction);
      const open = windowAt(budget, nowMs);
      const since = { counter: budget, sinceMs: open.startMs };
      return { budget, exceptions, open, ...(await countSince(ctx, organization, since, transaction)) };
    }),
  );
  const { metric, per } = budget;
  const shares = [...Map.groupBy(windows, ({ person }) => person)].flatMap(([person, own]) => {
    const counted = person === null ? budget : budgetOfPerson({ budget, exceptions }, person);
    return counted ? [{ ...inForce(counted, nowMs), current: amountIn(metric, own, open) }] : [];
  });
  const nobody = { ...inForce(budgetOfNobody(budget), nowMs), current: 0 };
  const [furthest = nobody] = shares.toSorted((a, b) => b.current / b.limit - a.current / a.limit);
  const { current, limit } = furthest;
  return {
    current: shown(metric, current),
    threshold: thresholdOf(furthest),
    utilization_pct: utilizationPct(current, limit),
    state: stateOf(current, limit),
    refuses_now: refusesNow(furthest, current),
    people: per ? shares.filter((share) => refusesNow(share, share.current)).length : null,
  };
}
