import { z } from 'zod';
import { CLOCK_LAG_MS, isoTime } from '../../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../../platform/basics/contract.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { DAY_MS, type Interval } from '../../../../platform/basics/interval.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import {
  bucketEdges,
  bucketOf,
  nextStart,
  periodStarts,
  QUARTER_HOUR_MS,
  quarterHorizonMs,
} from '../../../calls/usage/calendar.ts';
import type { SummedRow } from '../../../calls/usage/cells.ts';
import { exactParts } from '../../../calls/usage/range.ts';
import { serialized } from '../../../calls/usage/serialized.ts';
import { sumGroupings } from '../../../calls/usage/sum-rollups.ts';
import { FILTERED, knownFrom, matchOf, rollupMatcher } from '../count/count-windows.ts';
import { amountOf, forecast } from '../rules/evaluate.ts';
import type { Budget, BudgetWindowKind } from '../rules/model.ts';
import { shown } from '../rules/view.ts';
import type { Viewer } from '../rules/visible.ts';
import { countedFromMs, NEVER_MS, shownEnd, windowAt, windowFrom } from '../rules/windows.ts';
import { findVisibleBudget, type VisibleBudget } from './read-budgets.ts';

const POINTS = ['quarter_hour', 'hour', 'day', 'week', 'month'] as const;
type PointInterval = (typeof POINTS)[number];

/** The length of the points of a window: some dozens of them each. A total has the longest that make some. */
const INTERVALS: Readonly<Record<Exclude<BudgetWindowKind, 'total'>, PointInterval>> = {
  hourly: 'quarter_hour',
  daily: 'hour',
  weekly: 'day',
  monthly: 'day',
  quarterly: 'week',
  rolling: 'day',
};
/** The longest time that a total shows by days, and by weeks. */
const BY_DAY_MS = 62 * DAY_MS;
const BY_WEEK_MS = 366 * DAY_MS;

const used = z.number().describe('In the unit of the threshold');

/** One window of a budget, by time and by user. */
export const budgetUsageView = z.strictObject({
  start: z.string(),
  end: z.string().nullable().describe('When the window ends; null: never'),
  interval: z.enum(POINTS).describe('The length of the points'),
  points: z
    .array(
      z.strictObject({
        start: z.string(),
        used,
        total: z.number().describe('Used from the start of the window to the end of this point'),
      }),
    )
    .describe('Up to now'),
  users: z
    .array(
      z.strictObject({
        user_id: z.string().nullable().describe('Null: all others together'),
        used,
      }),
    )
    .describe('The eight that used most, and all others as one'),
  forecast: z.number().describe("Usage at the window's end, if the rest of it goes on at the pace so far"),
});

const TOP_USERS = 8;

/**
 * Reads one window of a budget from the rollups: the open one, or the one that begins at `startMs` (epoch ms). Points and users
 * are of one read, and both sum to what the window has used. Throws `not_found`; `invalid_request` when no window begins there
 * that has begun and ended within 35 days.
 */
export async function readBudgetUsage(
  ctx: Context,
  viewer: Viewer,
  budgetId: string,
  startMs: number | undefined,
): Promise<z.output<typeof budgetUsageView>> {
  const visible = await findVisibleBudget(ctx, viewer, budgetId);
  const budget = visible.own ?? visible.budget;
  const nowMs = ctx.clock.now();
  const window = startMs === undefined ? windowAt(budget, nowMs) : windowFrom(budget, startMs);
  if (startMs !== undefined) refuseOther(window, startMs, nowMs);
  const organization = await readOrganization(ctx, budget.org_id);
  const interval = intervalOf(budget, window, nowMs);
  const edges = knownEdges(organization, edgesOf(budget, window, interval, nowMs), nowMs);
  const { byStart, byUser } = await readSums(ctx, organization, visible, edges);
  const amount = ({ sums }: SummedRow): number =>
    amountOf(budget.metric, { ...sums, cost_nusd: Number(sums.cost_nusd) });
  const total = byUser.reduce((sum, row) => sum + amount(row), 0);
  return {
    start: isoTime(window.startMs),
    end: shownEnd(window),
    interval,
    points: pointsOf(
      budget,
      edges,
      byStart.map((row) => [Number(row.key.start), amount(row)]),
      nowMs,
    ),
    users: usersOf(
      budget,
      byUser.map((row) => [String(row.key.user_id), amount(row)]),
      viewer,
    ),
    forecast: shown(budget.metric, forecast(total, window, nowMs)),
  };
}

function refuseOther({ startMs, endMs }: Interval, askedMs: number, nowMs: number): void {
  const isKept = startMs === askedMs && startMs <= nowMs && endMs >= nowMs - SIGNAL_AGE_MS.behind;
  if (isKept) return;
  const detail = 'must be the start of a window that has begun, and has not ended more than 35 days ago';
  throw new DomainError('invalid_request', `window_start: ${detail}.`, {
    errors: [{ parameter: 'window_start', detail }],
  });
}

/** A day of which the hours are no longer kept is one point. */
function intervalOf({ window }: Budget, { startMs }: Interval, nowMs: number): PointInterval {
  if (window === 'total') {
    const ageMs = nowMs - startMs;
    return ageMs <= BY_DAY_MS ? 'day' : ageMs <= BY_WEEK_MS ? 'week' : 'month';
  }
  return window === 'daily' && startMs < quarterHorizonMs(nowMs) ? 'day' : INTERVALS[window];
}

function edgesOf(budget: Budget, window: Interval, interval: PointInterval, nowMs: number): number[] {
  const startMs = countedFromMs(budget, window);
  const zones = [{ from: new Date(0), timezone: budget.timezone }];
  // Nothing is used later than soon, and points are as long as the others.
  const lastMs = nowMs + CLOCK_LAG_MS + SIGNAL_AGE_MS.ahead;
  if (interval !== 'quarter_hour') {
    const endMs = window.endMs === NEVER_MS ? nextStart(zones, interval, lastMs) : window.endMs;
    return bucketEdges(zones, interval, startMs, endMs);
  }
  const quarters = Math.ceil((window.endMs - startMs) / QUARTER_HOUR_MS);
  return [...Array.from({ length: quarters }, (_, at) => startMs + at * QUARTER_HOUR_MS), window.endMs];
}

/**
 * The same edges. Those that need hours which are no longer kept, because they lie in a day that began before, are moved to the
 * organization's next midnight; the last one to the midnight before, so that nothing counts that came after it.
 */
export function knownEdges(organization: Organization, edges: readonly number[], nowMs: number): number[] {
  const [first = 0, ...others] = edges;
  const endMs = others.at(-1) ?? first;
  const horizonMs = quarterHorizonMs(nowMs);
  const known = [knownFrom(organization, first, nowMs)];
  for (const edge of others) {
    const before = known.at(-1) ?? 0;
    const { day } = periodStarts(organization, edge);
    const isKnown = day === edge || Math.max(day, before) >= horizonMs;
    const midnight = edge === endMs ? day : nextStart(organization.timezones, 'day', edge);
    const at = isKnown ? edge : midnight;
    if (before < at && at <= endMs) known.push(at);
  }
  return known;
}

/**
 * Sums what a budget counts by point and by user, all of one moment: of a template of which one person is shown, what it counts of
 * that person.
 */
async function readSums(
  ctx: Context,
  organization: Organization,
  { budget, own }: VisibleBudget,
  edges: number[],
) {
  const { org_id } = budget;
  const parts = exactParts(organization, edges, ctx.clock.now());
  const [byStart = [], byUser = []] = await serialized(ctx, org_id, () =>
    inTransaction(ctx.db, async (transaction) => {
      const match = await matchOf(ctx, org_id, budget, transaction, own ? { person: own.scope_id } : {});
      const more = budget.filter ? FILTERED : [];
      const groupings = [
        ['start', ...more],
        ['user_id', ...more],
      ] as const;
      return sumGroupings(ctx, organization, { parts, match, groupings, edges }, transaction);
    }),
  );
  const matches = rollupMatcher(budget);
  const counted = (rows: SummedRow[]) =>
    matches ? rows.filter(({ key }) => matches(key, edges[0] ?? 0)) : rows;
  return { byStart: counted(byStart), byUser: counted(byUser) };
}

/** A point for each bucket that has begun, and for one ahead of this clock that was used already. */
function pointsOf(
  { metric }: Budget,
  edges: readonly number[],
  amounts: readonly (readonly [startMs: number, amount: number])[],
  nowMs: number,
) {
  const used = edges.slice(0, -1).map(() => 0);
  for (const [startMs, amount] of amounts) {
    const bucket = bucketOf(edges, startMs);
    used[bucket] = (used[bucket] ?? 0) + amount;
  }
  const last = Math.max(
    bucketOf(edges, nowMs),
    used.findLastIndex((amount) => amount !== 0),
  );
  const shares = sharesOf(metric, used.slice(0, last + 1));
  return shares.map((share, at) => ({ start: isoTime(edges[at] ?? 0), ...share }));
}

/** By falling use, then by id, so that the order is the same every time. */
function usersOf(
  { metric }: Budget,
  amounts: readonly (readonly [userId: string, amount: number])[],
  { userId }: Viewer,
) {
  const sums = new Map<string, number>();
  for (const [id, amount] of amounts) sums.set(id, (sums.get(id) ?? 0) + amount);
  const ordered = [...sums]
    .filter(([, amount]) => amount !== 0)
    .toSorted(([a, most], [b, less]) => less - most || (a < b ? -1 : 1));
  // The owner of a budget sees nobody else's part of it.
  const named = userId === null ? ordered.slice(0, TOP_USERS) : ordered.filter(([id]) => id === userId);
  const rest = ordered.filter((row) => !named.includes(row)).reduce((sum, [, amount]) => sum + amount, 0);
  const users: [string | null, number][] = named.map(([id, amount]) => [id, amount]);
  if (rest !== 0) users.push([null, rest]);
  const shares = sharesOf(
    metric,
    users.map(([, amount]) => amount),
  );
  return shares.map(({ used }, at) => ({ user_id: users[at]?.[0] ?? null, used }));
}

const DECIMALS = 4;

/**
 * Amounts as the API shows them, each as what it adds to the rounded total of those before: so the shown ones sum to the shown
 * total, which they would not if each were rounded for itself.
 */
function sharesOf(metric: Budget['metric'], amounts: readonly number[]): { used: number; total: number }[] {
  let exact = 0;
  let before = 0;
  return amounts.map((amount) => {
    exact += amount;
    const total = shown(metric, exact);
    const used = Number((total - before).toFixed(DECIMALS));
    before = total;
    return { used, total };
  });
}
