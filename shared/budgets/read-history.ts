import { z } from 'zod';
import type { Reader } from '../organizations/reader.ts';
import { isoTime } from '../platform/basics/clock.ts';
import type { Order, Position } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { amountOf } from './evaluate.ts';
import { counterKey } from './keys.ts';
import { BUDGET_LEVELS, type BudgetFiring, budgetFiringRows } from './model.ts';
import { readVisibleBudget } from './read-budgets.ts';
import { readWindows } from './read-windows.ts';
import { shown, utilizationPct } from './view.ts';

export const budgetEventView = z.strictObject({
  level: z.enum(BUDGET_LEVELS),
  revision: z.int(),
  window_start: z.string(),
  window_end: z.string(),
  fired_at: z.string(),
  event_id: z
    .string()
    .nullable()
    .describe(
      'Of what webhooks that subscribe receive. Null: a closed window had reached it before this revision began or a member joined, which raises no event',
    ),
});

export const budgetWindowView = z.strictObject({
  start: z.string(),
  end: z.string(),
  current: z.number(),
  utilization_pct: z.number().describe('Of the present threshold'),
});

/**
 * One page of the levels that a budget has reached, by (`fired_at`, id). A budget has few: two per window, and windows are
 * deleted 40 days after their end. Throws `not_found`.
 */
export async function listBudgetEvents(
  ctx: Context,
  reader: Reader,
  budgetId: string,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<{ rows: BudgetFiring[]; hasMore: boolean; last: Position | null; total: number }> {
  await readVisibleBudget(ctx, reader, budgetId);
  const found = await budgetFiringRows(ctx).find({ budget_id: budgetId }).toArray();
  const direction = page.order === 'desc' ? -1 : 1;
  const ordered = found.toSorted((a, b) => direction * compare(positionOf(a), positionOf(b)));
  const { after } = page;
  const beyond = after ? ordered.filter((row) => direction * compare(positionOf(row), after) > 0) : ordered;
  const rows = beyond.slice(0, page.limit);
  const last = rows.at(-1);
  return {
    rows,
    hasMore: beyond.length > rows.length,
    last: last ? { ...positionOf(last), spanMs: 0 } : after,
    total: page.total ?? found.length,
  };
}

interface Place {
  atMs: number;
  id: string;
}

function positionOf({ fired_at, _id }: BudgetFiring): Place {
  return { atMs: fired_at.getTime(), id: _id };
}

function compare(a: Place, b: Place): number {
  if (a.atMs !== b.atMs) return a.atMs - b.atMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** A firing as `budgetEventView` shows it. */
export function viewBudgetEvent(firing: BudgetFiring): z.output<typeof budgetEventView> {
  const { level, revision, window_start, window_end, fired_at, event_id } = firing;
  return {
    level,
    revision,
    window_start: isoTime(window_start.getTime()),
    window_end: isoTime(window_end.getTime()),
    fired_at: isoTime(fired_at.getTime()),
    event_id,
  };
}

/** The newest `limit` windows of a budget that are kept, newest first, the open one among them. Throws `not_found`. */
export async function readBudgetWindows(
  ctx: Context,
  reader: Reader,
  budgetId: string,
  limit: number,
): Promise<z.output<typeof budgetWindowView>[]> {
  const budget = await readVisibleBudget(ctx, reader, budgetId);
  const windows = await readWindows(ctx, { org_id: reader.orgId, counter: counterKey(budget) });
  return windows
    .toSorted((a, b) => b.interval.startMs - a.interval.startMs)
    .slice(0, limit)
    .map(({ interval, usage }) => {
      const current = amountOf(budget.metric, usage);
      return {
        start: isoTime(interval.startMs),
        end: isoTime(interval.endMs),
        current: shown(budget.metric, current),
        utilization_pct: utilizationPct(current, budget.limit),
      };
    });
}
