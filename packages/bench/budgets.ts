import { raiseOrganizationVersion } from '../../shared/core/accounts/organizations/versions.ts';
import { noCounts, personWindowRows } from '../../shared/core/limits/budgets/rules/counted.ts';
import { counterKey, personRowKey, personWindowKey } from '../../shared/core/limits/budgets/rules/keys.ts';
import { type Budget, budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { windowAt } from '../../shared/core/limits/budgets/rules/windows.ts';
import { dateAt } from '../../shared/platform/basics/clock.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { inTransaction } from '../../shared/platform/mongo/transaction.ts';
import { applyWrites } from '../../shared/platform/mongo/writes.ts';

/** A hard budget of a month that no call reaches, with these fields. */
export function makeBudget(
  ctx: Context,
  org_id: string,
  fields: Pick<Budget, 'name' | 'scope' | 'scope_id'> & Partial<Budget>,
): Budget {
  const at = dateAt(ctx.clock.now());
  return {
    _id: newId('bud'),
    org_id,
    metric: 'cost_usd',
    limit: 9e15,
    window: 'monthly',
    timezone: 'UTC',
    enforce: 'hard',
    on_error: 'allow',
    reservation_share_pct: 25,
    revision: 1,
    counted_at: at,
    created_at: at,
    updated_at: at,
    ...fields,
  };
}

/** Puts budgets straight into the collection: recounts are not what is measured. */
export async function insertBudgets(ctx: Context, orgId: string, budgets: readonly Budget[]): Promise<void> {
  await inTransaction(ctx.db, async (transaction) => {
    await budgetRows(ctx).insertMany([...budgets], { session: transaction });
    await applyWrites(ctx, raiseOrganizationVersion(orgId), transaction);
  });
}

/** A template of the organization, whose people `user-0` and on have each used a dollar by one call. */
export async function makeTemplate(
  ctx: Context,
  org_id: string,
  people: number,
  fields: Partial<Budget> = {},
): Promise<Budget> {
  const budget = makeBudget(ctx, org_id, {
    name: 'each',
    scope: 'org',
    scope_id: org_id,
    per: 'user',
    ...fields,
  });
  const { startMs, endMs } = windowAt(budget, ctx.clock.now());
  const counter = counterKey(budget);
  const windows = Array.from({ length: people }, (_, index) => {
    const person = `user-${index}`;
    return {
      _id: personRowKey(personWindowKey(org_id, counter, startMs, person), 0),
      org_id,
      counter,
      person,
      window_start: dateAt(startMs),
      window_end: dateAt(endMs),
      ...noCounts(),
      signals: 1,
      cost_nusd: 1e9,
      updated_at: dateAt(ctx.clock.now()),
    };
  });
  await personWindowRows(ctx).insertMany(windows);
  await insertBudgets(ctx, org_id, [budget]);
  return budget;
}
