import { z } from 'zod';
import { isoTime } from '../../../../platform/basics/clock.ts';
import { LIST_AHEAD_MS, type Listed, type ListPage } from '../../../../platform/basics/paginate.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { listRows } from '../../../../platform/mongo/list-rows.ts';
import { readPersonWindows, readWindows } from '../count/read-windows.ts';
import { windowsOf } from '../count/rolling.ts';
import { COUNTED } from '../rules/counted.ts';
import { amountOf } from '../rules/evaluate.ts';
import { type BudgetFiring, budgetFiringRows } from '../rules/fired.ts';
import { counterKey } from '../rules/keys.ts';
import { BUDGET_LEVELS, type Budget } from '../rules/model.ts';
import { shown, utilizationPct } from '../rules/view.ts';
import type { Viewer } from '../rules/visible.ts';
import { shownEnd } from '../rules/windows.ts';
import { findVisibleBudget, type VisibleBudget } from './read-budgets.ts';
import { readPeople } from './read-people.ts';

export const budgetEventView = z.strictObject({
  level: z.enum(BUDGET_LEVELS),
  user_id: z.string().nullable().describe('In a template: the person who has reached it; else null'),
  revision: z.int(),
  window_start: z.string(),
  window_end: z.string().nullable().describe('Null: it does not end'),
  fired_at: z.string(),
  event_id: z
    .string()
    .nullable()
    .describe(
      'The event that subscribed webhooks receive. Null: a closed window had reached it before this revision began or a member joined, which raises no event',
    ),
  reversed_at: z
    .string()
    .nullable()
    .describe('When voided signals took the window below the level, which may then fire once more'),
});

export const budgetWindowView = z.strictObject({
  start: z.string(),
  end: z.string().nullable().describe('Null: it does not end'),
  current: z.number(),
  utilization_pct: z.number().describe('Per cent of the present threshold'),
});

/** One page of the levels that a budget has reached, by (`fired_at`, id). Throws `not_found`. */
export async function listBudgetEvents(
  ctx: Context,
  viewer: Viewer,
  budgetId: string,
  page: ListPage,
): Promise<Listed<BudgetFiring>> {
  const { budget, own } = await findVisibleBudget(ctx, viewer, budgetId);
  const { created_at } = budget;
  // A clock of one process may be behind that of another.
  const range = { fromMs: created_at.getTime() - LIST_AHEAD_MS, toMs: ctx.clock.now() + LIST_AHEAD_MS };
  const firings = {
    budget_id: budgetId,
    is_carried: { $ne: true },
    ...(own ? { user_id: own.scope_id } : {}),
  };
  return listRows(ctx, budgetFiringRows, firings, 'fired_at', { ...page, ...range });
}

export function viewBudgetEvent(firing: BudgetFiring): z.output<typeof budgetEventView> {
  const {
    level,
    user_id = null,
    revision,
    window_start,
    window_end,
    fired_at,
    event_id,
    reversed_at,
  } = firing;
  return {
    level,
    user_id,
    revision,
    window_start: isoTime(window_start.getTime()),
    window_end: shownEnd({ startMs: window_start.getTime(), endMs: window_end.getTime() }),
    fired_at: isoTime(fired_at.getTime()),
    event_id,
    reversed_at: reversed_at ? isoTime(reversed_at.getTime()) : null,
  };
}

/** The newest `limit` windows of a budget that are kept, newest first, the open one among them. Throws `not_found`. */
export async function readBudgetWindows(
  ctx: Context,
  viewer: Viewer,
  budgetId: string,
  limit: number,
): Promise<z.output<typeof budgetWindowView>[]> {
  const visible = await findVisibleBudget(ctx, viewer, budgetId);
  const budget = await shownBudget(ctx, visible);
  const kept = { org_id: viewer.orgId, counter: counterKey(visible.budget) };
  const counted = budget.per
    ? await readPersonWindows(ctx, { ...kept, person: budget.scope_id })
    : await readWindows(ctx, kept);
  const wholeMs = budget.window === 'rolling' ? (budget.counted_from?.getTime() ?? 0) : 0;
  return (
    windowsOf(budget, counted, ctx.clock.now())
      .filter(({ interval }) => interval.startMs >= wholeMs)
      // One whose signals were all voided is as good as none.
      .filter(({ usage }) => COUNTED.some((measure) => usage[measure] !== 0))
      .toSorted((a, b) => b.interval.startMs - a.interval.startMs)
      .slice(0, limit)
      .map(({ interval, usage }) => {
        const current = amountOf(budget.metric, usage);
        return {
          start: isoTime(interval.startMs),
          end: shownEnd(interval),
          current: shown(budget.metric, current),
          utilization_pct: utilizationPct(current, budget.limit),
        };
      })
  );
}

/** The budget whose windows are shown: of a template that of the reader, or of the person who is furthest now. */
async function shownBudget(ctx: Context, { budget, own }: VisibleBudget): Promise<Budget> {
  if (!budget.per || own) return own ?? budget;
  const { people } = await readPeople(ctx, budget);
  return people.find((person) => person.own !== null)?.own ?? { ...budget, scope: 'user', scope_id: '' };
}
