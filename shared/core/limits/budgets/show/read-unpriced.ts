import { z } from 'zod';
import { CLOCK_LAG_MS } from '../../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../../platform/basics/contract.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { findByIds } from '../../../../platform/mongo/find-by-ids.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import { nextStart } from '../../../calls/usage/calendar.ts';
import { exactParts } from '../../../calls/usage/range.ts';
import { serialized } from '../../../calls/usage/serialized.ts';
import { sumGroupings } from '../../../calls/usage/sum-rollups.ts';
import { FILTERED, matchOf, rollupMatcher } from '../count/count-windows.ts';
import { counterKey } from '../rules/keys.ts';
import { type Budget, budgetRows } from '../rules/model.ts';
import type { BudgetView } from '../rules/view.ts';
import { countedFromMs, NEVER_MS, windowAt } from '../rules/windows.ts';
import { knownEdges } from './read-usage.ts';

export const unpricedModels = z
  .array(z.strictObject({ model: z.string(), signals: z.int() }))
  .describe('The models of `unpriced_signals`, by falling number');

interface UnpricedModels {
  unpriced_models: z.output<typeof unpricedModels>;
}

/**
 * Adds to budgets of an organization the models of the calls without a price in their open windows, from the rollups: to a template
 * those of the person whose amounts it shows. It reads nothing where no budget counts such a call, and once for those that count
 * the same calls.
 */
export async function showUnpriced<View extends BudgetView>(
  ctx: Context,
  orgId: string,
  views: readonly View[],
): Promise<(View & UnpricedModels)[]> {
  const ids = views.filter(({ unpriced_signals }) => unpriced_signals > 0).map(({ id }) => id);
  if (ids.length === 0) return views.map((view) => ({ ...view, unpriced_models: [] }));
  const organization = await readOrganization(ctx, orgId);
  const rows = new Map(
    (await findByIds(budgetRows(ctx), ids, undefined)).map((budget) => [budget._id, budget]),
  );
  const read = new Map<string, Promise<UnpricedModels['unpriced_models']>>();
  const modelsOf = async ({ id, unpriced_signals, top_user_id, counted_from }: View) => {
    const budget = rows.get(id);
    if (!budget || unpriced_signals === 0) return [];
    // A rolling budget has the counter of a daily one, and begins to count on another day.
    const key = `${counterKey(budget)} ${counted_from} ${top_user_id}`;
    const counted = top_user_id === null ? budget : ofPerson(budget, top_user_id);
    const models = read.get(key) ?? countByModel(ctx, organization, counted);
    read.set(key, models);
    return models;
  };
  return Promise.all(views.map(async (view) => ({ ...view, unpriced_models: await modelsOf(view) })));
}

function ofPerson(budget: Budget, userId: string): Budget {
  return { ...budget, scope: 'user', scope_id: userId };
}

async function countByModel(
  ctx: Context,
  organization: Organization,
  budget: Budget,
): Promise<UnpricedModels['unpriced_models']> {
  const org_id = organization._id;
  const nowMs = ctx.clock.now();
  const window = windowAt(budget, nowMs);
  const lastMs = nextStart(organization.timezones, 'day', nowMs + CLOCK_LAG_MS + SIGNAL_AGE_MS.ahead);
  const endMs = window.endMs === NEVER_MS ? lastMs : window.endMs;
  const edges = knownEdges(organization, [countedFromMs(budget, window), endMs], nowMs);
  const parts = exactParts(organization, edges, nowMs);
  const groupings = [budget.filter ? FILTERED : (['model'] as const)];
  const [rows = []] = await serialized(ctx, org_id, () =>
    inTransaction(ctx.db, async (transaction) => {
      const match = await matchOf(ctx, org_id, budget, transaction);
      return sumGroupings(ctx, organization, { parts, match, groupings, edges }, transaction);
    }),
  );
  const matches = rollupMatcher(budget);
  const counts = new Map<string, number>();
  for (const { key, sums } of rows)
    if (matches?.(key, edges[0] ?? 0) ?? true)
      counts.set(String(key.model), (counts.get(String(key.model)) ?? 0) + sums.unpriced_signals);
  return [...counts]
    .filter(([, signals]) => signals > 0)
    .toSorted(([a, most], [b, less]) => less - most || (a < b ? -1 : 1))
    .map(([model, signals]) => ({ model, signals }));
}
