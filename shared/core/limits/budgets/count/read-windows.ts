import type { ClientSession, mongo } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import type { Db } from '../../../../platform/mongo/connect.ts';
import { ALL_COUNTER_SHARDS } from '../../../../platform/mongo/counter-shards.ts';
import { inSteps } from '../../../../platform/mongo/find-by-ids.ts';
import type { BudgetRules } from '../rules/budget-rules.ts';
import {
  addCounts,
  type BudgetWindow,
  budgetWindowRows,
  COUNTED,
  type Counts,
  changedSince,
  newestOf,
  noCounts,
  type PersonWindow,
  personWindowRows,
} from '../rules/counted.ts';
import type { WindowUsage } from '../rules/evaluate.ts';
import type { CountedBudget } from '../rules/evaluate-alerts.ts';
import { personRowKey, personWindowOf } from '../rules/keys.ts';
import { budgetOfPerson } from '../rules/people.ts';
import { isOfRolling, windowsOf } from './rolling.ts';

/** The counts of an organization's counter in one window, of a template's those of one person. */
export interface CountedWindow extends WindowUsage {
  org_id: string;
  counter: string;
  /** Null: of no template. */
  person: string | null;
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
    person: null,
    interval: { startMs: window_start.getTime(), endMs: window_end.getTime() },
    usage,
  }));
}

/** Rows of one answer: decoding them is one turn of the event loop. */
const ROWS_PER_ANSWER = 1_000;

/**
 * The windows of people that match, each the sum of its rows in all counter shards. They are summed here, because the embedded
 * store carries out nothing else during an aggregation (docs/stores.md).
 */
export async function readPersonWindows(
  ctx: { db: Db },
  filter: mongo.Filter<PersonWindow>,
  transaction?: ClientSession,
): Promise<CountedWindow[]> {
  const options = transaction ? { session: transaction } : {};
  return sumPersonWindows(personWindowRows(ctx).find(filter, { ...options, batchSize: ROWS_PER_ANSWER }));
}

/**
 * The windows of people that end at `earliest` or later, and the newest stamp of their rows. Given the one of a former read, only
 * windows that may have changed since. As of the transaction's snapshot.
 */
export async function readChangedPeople(
  ctx: { db: Db },
  orgId: string,
  { earliest, sinceMs }: { earliest: Date; sinceMs: number | null },
  transaction: ClientSession,
): Promise<{ windows: CountedWindow[]; newestMs: number }> {
  const asked = sinceMs === null ? { window_end: { $gte: earliest } } : changedSince(sinceMs);
  const options = { session: transaction, batchSize: ROWS_PER_ANSWER };
  const rows = await personWindowRows(ctx)
    .find({ org_id: orgId, ...asked }, options)
    .toArray();
  const newestMs = newestOf(rows, sinceMs ?? 0);
  if (sinceMs === null) return { windows: await sumPersonWindows(rows), newestMs };
  const due = rows.filter(({ window_end }) => window_end >= earliest);
  const names = new Set(due.map(({ _id }) => personWindowOf(_id)));
  return { windows: await findPersonWindows(ctx, orgId, [...names], transaction), newestMs };
}

async function sumPersonWindows(
  rows: Iterable<PersonWindow> | AsyncIterable<PersonWindow>,
): Promise<CountedWindow[]> {
  const windows = new Map<string, CountedWindow>();
  for await (const { org_id, counter, person, window_start, window_end, ...usage } of rows) {
    const interval = { startMs: window_start.getTime(), endMs: window_end.getTime() };
    const name = personWindowName({ counter, person, interval });
    const window = windows.get(name) ?? { org_id, counter, person, interval, usage: noCounts() };
    windows.set(name, window);
    addCounts(window.usage, usage);
  }
  return [...windows.values()];
}

function personWindowName({ counter, person, interval }: Omit<CountedWindow, 'org_id' | 'usage'>): string {
  return `${counter} ${interval.startMs} ${person}`;
}

/** The windows of people of an organization by their names (`personWindowKey`), as of the transaction's snapshot. */
export async function findPersonWindows(
  ctx: { db: Db },
  orgId: string,
  names: readonly string[],
  transaction?: ClientSession,
): Promise<CountedWindow[]> {
  const ids = names.flatMap((name) => ALL_COUNTER_SHARDS.map((shard) => personRowKey(name, shard)));
  const options = transaction ? { session: transaction } : {};
  const rows = await inSteps(ids, (some) =>
    personWindowRows(ctx)
      .find({ _id: { $in: some }, org_id: orgId }, options)
      .toArray(),
  );
  return sumPersonWindows(rows);
}

/** The windows of budgets that match, by counter; of one with rolling budgets, which sum many, all that are kept. */
export async function windowsByCounter(
  ctx: Context,
  orgId: string,
  budgets: BudgetRules['budgets'],
  filter: mongo.Filter<BudgetWindow>,
  transaction: ClientSession,
): Promise<Map<string, CountedWindow[]>> {
  const rolling = new Set(budgets.filter(isOfRolling).map(({ counter }) => counter));
  const windows = await readWindows(ctx, { org_id: orgId, ...filter }, transaction);
  const days =
    rolling.size > 0
      ? await readWindows(ctx, { org_id: orgId, counter: { $in: [...rolling] } }, transaction)
      : [];
  const others = windows.filter(({ counter }) => !rolling.has(counter));
  return Map.groupBy([...others, ...days], ({ counter }) => counter);
}

/** Budgets with their windows, and of a template each person's budget with that person's windows. Pure. */
export function countedBudgets(
  budgets: BudgetRules['budgets'],
  byCounter: ReadonlyMap<string, readonly CountedWindow[]>,
  nowMs: number,
): CountedBudget[] {
  return budgets.flatMap((ruled): CountedBudget[] => {
    const { budget, counter } = ruled;
    const windows = byCounter.get(counter) ?? [];
    if (!budget.per) return [{ budget, windows: windowsOf(budget, windows, nowMs) }];
    return [...Map.groupBy(windows, ({ person }) => person ?? '')].flatMap(([person, own]) => {
      const theirs = budgetOfPerson(ruled, person);
      return theirs ? [{ budget: theirs, windows: own }] : [];
    });
  });
}
