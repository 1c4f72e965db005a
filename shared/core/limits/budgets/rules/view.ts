import { z } from 'zod';
import { isoTime } from '../../../../platform/basics/clock.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import { usd4 } from '../../../pricing/money.ts';
import type { Counts } from './counted.ts';
import { amountOf, forecast, levelsReached, stateOf } from './evaluate.ts';
import { filterInput } from './filter.ts';
import { inForce, raisesInForce } from './in-force.ts';
import {
  BUDGET_METRICS,
  BUDGET_PERS,
  BUDGET_SCOPES,
  BUDGET_WINDOWS,
  type Budget,
  type BudgetMetric,
  ENFORCEMENTS,
  isMuted,
  mayRefuseUnpriced,
  ON_ERROR,
  UNPRICED,
} from './model.ts';
import { budgetOfNobody } from './people.ts';
import { countedFromMs, shownEnd } from './windows.ts';

export const raisedView = {
  raised: z.number().describe('Added to the threshold by raises in force; 0 without any'),
  raised_until: z.string().nullable().describe('When the first of these raises ends; null without any'),
};

/** A budget with its usage in the open window. */
export const budgetView = z.strictObject({
  id: z.string(),
  name: z.string(),
  scope: z.enum(BUDGET_SCOPES),
  scope_id: z.string(),
  filter: filterInput.nullable().describe('The calls that count; null: all'),
  per: z
    .enum(BUDGET_PERS)
    .nullable()
    .describe('`user`: a template, which counts each user apart; null: none'),
  metric: z.enum(BUDGET_METRICS),
  threshold: z.number(),
  threshold_now: z.number().describe('The threshold that decides now: with the raises that are in force'),
  ...raisedView,
  window: z.enum(BUDGET_WINDOWS),
  timezone: z.string(),
  fiscal_start_month: z.int().nullable().describe('Of `quarterly`; else null'),
  rolling_days: z.int().nullable().describe('Of `rolling`; else null'),
  starts_on: z.string().nullable().describe('Of `total`; else null'),
  enforce: z.enum(ENFORCEMENTS),
  on_error: z.enum(ON_ERROR),
  unpriced: z
    .enum(UNPRICED)
    .nullable()
    .describe('Answer of a `hard` budget of `cost_usd` to a call whose model has no price; else null'),
  reservation_share_pct: z.int(),
  owner: z
    .union([z.strictObject({ user_id: z.string() }), z.strictObject({ webhook_id: z.string() })])
    .nullable()
    .describe('Gets its alerts; a credential that is bound to one user sees only itself. Null: nobody'),
  muted_until: z
    .string()
    .nullable()
    .describe('Until then no channel and no owner gets its alerts')
    .meta({ examples: ['2026-11-18T12:00:00.000Z'] }),
  current: z.number().describe('Usage in the open window, in the unit of the threshold'),
  remaining: z.number().describe('Up to the threshold; 0 beyond it'),
  utilization_pct: z.number(),
  window_start: z.string(),
  window_end: z.string().nullable().describe('Null: it does not end (`total`)'),
  counted_from: z
    .string()
    .describe(
      'The moment from which usage counts: `window_start`, or later where only whole days were known',
    ),
  state: z.enum(['ok', 'warning', 'exceeded']),
  refuses_now: z
    .boolean()
    .describe(
      'True when it is hard and refuses every call that is not free; of a template the calls of `top_user_id`',
    ),
  forecast: z
    .number()
    .describe(
      "Usage at the window's end, if the rest of it goes on at the pace so far; `current` where it does not end",
    ),
  unpriced_signals: z.int().describe('Signals of the window whose cost is not known, and counts as 0'),
  top_user_id: z
    .string()
    .nullable()
    .describe(
      'In a template: the person whose amounts these are, who is furthest, or this credential; else null',
    ),
  people: z
    .strictObject({ total: z.int(), warning: z.int(), exceeded: z.int() })
    .nullable()
    .describe(
      'In a template: how many people use it or have an exception, and how many have reached each level as the highest; null ' +
        'for a credential that is bound to one of them',
    ),
  last_evaluated_at: z.string().nullable(),
  revision: z.int().describe('Rises with every change that lets the levels fire again'),
  created_at: z.string(),
  updated_at: z.string(),
});
export type BudgetView = z.output<typeof budgetView>;

export interface OpenWindow {
  interval: Interval;
  usage: Counts;
  /** Epoch milliseconds; null before the first evaluation. */
  evaluatedMs: number | null;
}

/** The person of a template whose amounts are shown. */
export interface ShownPerson {
  /** The person's own budget; null: nobody has any. */
  own: Budget | null;
  people: BudgetView['people'];
}

const NOBODY: ShownPerson = { own: null, people: null };

/** A budget as `budgetView` shows it; a template by the amounts of one person. */
export function viewBudget(
  budget: Budget,
  open: OpenWindow,
  nowMs: number,
  { own, people }: ShownPerson = NOBODY,
): BudgetView {
  const { interval, usage, evaluatedMs } = open;
  const { metric } = budget;
  const counted = own ?? budgetOfNobody(budget);
  const now = inForce(counted, nowMs);
  const { limit } = now;
  const current = amountOf(metric, usage);
  return {
    id: budget._id,
    ...inputOf(budget),
    muted_until: isMuted(budget, nowMs) ? inputOf(budget).muted_until : null,
    threshold_now: thresholdOf(now),
    ...viewRaised(counted, nowMs),
    current: shown(metric, current),
    remaining: shown(metric, Math.max(0, limit - current)),
    utilization_pct: utilizationPct(current, limit),
    window_start: isoTime(interval.startMs),
    window_end: shownEnd(interval),
    counted_from: isoTime(countedFromMs(budget, interval)),
    state: stateOf(current, limit),
    refuses_now: refusesNow(now, current),
    forecast: shown(metric, forecast(current, interval, nowMs)),
    unpriced_signals: usage.unpriced_signals,
    top_user_id: own?.scope_id ?? null,
    people,
    last_evaluated_at: evaluatedMs === null ? null : isoTime(evaluatedMs),
    revision: budget.revision,
    created_at: isoTime(budget.created_at.getTime()),
    updated_at: isoTime(budget.updated_at.getTime()),
  };
}

/** The part of a threshold that is raised now, as `raisedView` shows it. Null: there is no threshold. Pure. */
export function viewRaised(budget: Budget | null, nowMs: number) {
  const raises = budget ? raisesInForce(budget, nowMs) : [];
  const limit = raises.reduce((sum, { amount }) => sum + amount, 0);
  return {
    raised: budget ? thresholdOf({ metric: budget.metric, limit }) : 0,
    raised_until: raises[0] ? isoTime(raises[0].ends_at.getTime()) : null,
  };
}

export function inputOf(budget: Budget) {
  const { name, scope, scope_id, filter = null, per = null, metric, window, timezone } = budget;
  const { fiscal_start_month = null, rolling_days = null, starts_on = null } = budget;
  const { enforce, on_error, unpriced, reservation_share_pct, owner = null, muted_until } = budget;
  return {
    name,
    scope,
    scope_id,
    filter,
    per,
    metric,
    threshold: thresholdOf(budget),
    window,
    timezone,
    fiscal_start_month,
    rolling_days,
    starts_on,
    enforce,
    on_error,
    unpriced: mayRefuseUnpriced(budget) ? (unpriced ?? ('allow' as const)) : null,
    reservation_share_pct,
    owner,
    muted_until: muted_until ? isoTime(muted_until.getTime()) : null,
  };
}

/** The threshold as it was posted: nano-USD hold nine decimals. */
export function thresholdOf({ metric, limit }: Pick<Budget, 'metric' | 'limit'>): number {
  return metric === 'cost_usd' ? limit / 1e9 : limit;
}

/** Returns true when a budget with this limit in force refuses every call that is not free. */
export function refusesNow({ enforce, limit }: Pick<Budget, 'enforce' | 'limit'>, current: number): boolean {
  return enforce === 'hard' && current >= limit;
}

/** Usage in per cent of the limit, with two decimals. */
export function utilizationPct(current: number, limit: number): number {
  return Math.round((current / limit) * 10_000) / 100;
}

/** An amount as the API shows it: US dollars with at most 4 decimals, or a count, which may have a fraction. */
export function shown(metric: BudgetMetric, amount: number): number {
  if (metric === 'cost_usd') return usd4(amount);
  return Number.isInteger(amount) ? amount : Number(amount.toFixed(9));
}

/** Thresholds below a cent: four decimals would round their amounts by more than half a per cent. */
const TINY_NUSD = 1e7;

/**
 * An amount of a budget as events have it: as `shown`, but with all decimals where these four would mislead: at a tiny threshold,
 * and where the rounded amount has reached a level that the amount has not. Pure.
 */
export function shownExact({ metric, limit }: Pick<Budget, 'metric' | 'limit'>, amount: number): number {
  const rounded = shown(metric, amount);
  if (metric !== 'cost_usd') return rounded;
  const levels = [Math.round(rounded * 1e9), amount].map((nusd) => levelsReached(nusd, limit).length);
  return limit < TINY_NUSD || levels[0] !== levels[1] ? amount / 1e9 : rounded;
}
