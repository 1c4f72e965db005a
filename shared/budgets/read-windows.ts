import type { ClientSession, mongo } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import type { WindowUsage } from './evaluate.ts';
import { type BudgetWindow, budgetWindowRows, COUNTED, type Counts } from './model.ts';

/** What a counter of an organization has counted in one window. */
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

/** The windows that match, each the sum of its rows, of which each counter shard has one: the store sums them. */
export async function readWindows(
  ctx: Context,
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
