import type { ClientSession, mongo } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import type { Db } from '../platform/mongo/connect.ts';
import type { WindowUsage } from './evaluate.ts';
import type { CountedBudget } from './evaluate-alerts.ts';
import { type BudgetWindow, budgetWindowRows, COUNTED, type Counts } from './model.ts';
import type { Rules } from './rules.ts';

/** The counts of an organization's counter in one window. */
export interface CountedWindow extends WindowUsage {
  org_id: string;
  counter: string;
}

type Sum = Counts & {
  _id: Pick<BudgetWindow, 'org_id' | 'counter' | 'window_start'>;
  window_end: Date;
};

const SUMS = Object.fromEntries(COUNTED.map((measure) => [measure, { $sum: `$${measure}` }]));
const BY_WINDOW = { org_id: '$org_id', counter: '$counter', window_start: '$window_start' };

/** The windows that match, each the sum of its rows in all counter shards. */
export async function readWindows(
  ctx: { db: Db },
  filter: mongo.Filter<BudgetWindow>,
  transaction?: ClientSession,
): Promise<CountedWindow[]> {
  const sums = await budgetWindowRows(ctx)
    .aggregate<Sum>(
      [{ $match: filter }, { $group: { _id: BY_WINDOW, window_end: { $first: '$window_end' }, ...SUMS } }],
      transaction ? { session: transaction } : {},
    )
    .toArray();
  return sums.map(({ _id: { org_id, counter, window_start }, window_end, ...usage }) => ({
    org_id,
    counter,
    interval: { startMs: window_start.getTime(), endMs: window_end.getTime() },
    usage,
  }));
}

/** Budgets with those of their windows that match. */
export async function readCounted(
  ctx: Context,
  { organization, budgets }: Rules,
  filter: mongo.Filter<BudgetWindow>,
  transaction: ClientSession,
): Promise<CountedBudget[]> {
  const windows = await readWindows(ctx, { org_id: organization._id, ...filter }, transaction);
  const byCounter = Map.groupBy(windows, ({ counter }) => counter);
  return budgets.map(({ budget, counter }) => ({ budget, windows: byCounter.get(counter) ?? [] }));
}
