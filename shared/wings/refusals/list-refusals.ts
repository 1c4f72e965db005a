import type { mongo } from 'mongoose';
import { narrowToReader, type Reader } from '../../core/accounts/organizations/reader.ts';
import { type Budget, budgetRows } from '../../core/limits/budgets/rules/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { given } from '../../platform/basics/given.ts';
import { LIST_AHEAD_MS, type Listed, type ListPage } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { findByIds } from '../../platform/mongo/find-by-ids.ts';
import { listLong } from '../../platform/mongo/list-rows.ts';
import { type RefusalRow, refusalRows } from './model.ts';
import { writeOwn } from './record-refusals.ts';

/** Calls of a row are of one minute. */
const ROW_MS = 60_000;

export interface RefusalFilter {
  user_id?: string | undefined;
  budget_id?: string | undefined;
  /** Epoch ms: rows with a call in [fromMs, toMs). */
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

/** A refusal, and the budget that refused; null once that is deleted. */
export interface ListedRefusal {
  row: RefusalRow;
  budget: Budget | null;
}

/** One page of the refusals that a reader may see, by (`first_at`, id), those of this process up to now. */
export async function listRefusals(
  ctx: Context,
  reader: Reader,
  filter: RefusalFilter,
  page: ListPage,
): Promise<Listed<ListedRefusal>> {
  await writeOwn(ctx, reader.orgId);
  const { fromMs, toMs = ctx.clock.now() + LIST_AHEAD_MS, ...equal } = narrowToReader(reader, filter);
  const indexed: mongo.Filter<RefusalRow> = { org_id: reader.orgId, ...given(equal) };
  const filters = fromMs === undefined ? {} : { last_at: { $gte: dateAt(fromMs) } };
  const range = { fromMs: Math.max(0, (fromMs ?? 0) - ROW_MS), toMs };
  const found = await listLong(ctx, refusalRows, { indexed, filters }, 'first_at', { ...page, ...range });
  const ids = [...new Set(found.rows.map(({ budget_id }) => budget_id))];
  const budgets = new Map<string, Budget>();
  for (const budget of await findByIds(budgetRows(ctx), ids, undefined))
    if (budget.org_id === reader.orgId) budgets.set(budget._id, budget);
  return { ...found, rows: found.rows.map((row) => ({ row, budget: budgets.get(row.budget_id) ?? null })) };
}
