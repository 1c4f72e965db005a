import { BUDGET_WARNING_RATIO, CLOSED_WINDOW_FIRES_MS } from '../../../../platform/basics/contract.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import type { Counts } from './counted.ts';
import { type BudgetInForce, inForceIn } from './in-force.ts';
import type { Budget, BudgetLevel, BudgetMetric } from './model.ts';
import { NEVER_MS } from './windows.ts';

export type BudgetState = 'ok' | BudgetLevel;

export interface WindowUsage {
  interval: Interval;
  usage: Counts;
  /** Only rolling windows: when the last day began, epoch ms, and the usage of the other days. */
  opening?: { atMs: number; usage: Counts };
}

/** A level that a budget has reached in a window. `current` is in the unit of the budget's limit. */
export interface LevelReached {
  budget: BudgetInForce;
  level: BudgetLevel;
  interval: Interval;
  current: number;
}

/** The amount that a metric reads from a counter: nano-USD for `cost_usd`, else a count. */
export function amountOf(metric: BudgetMetric, usage: Counts): number {
  switch (metric) {
    case 'cost_usd':
      return usage.cost_nusd;
    case 'tokens':
      return usage.tokens_in + usage.tokens_out;
    case 'tokens_in':
    case 'tokens_out':
    case 'signals':
    case 'sessions':
    case 'errors':
      return usage[metric];
  }
}

/** The amount in those windows of a counter that begin in an interval: of a budget's window, which may hold many. Pure. */
export function amountIn(
  metric: BudgetMetric,
  counted: readonly WindowUsage[],
  { startMs, endMs }: Interval,
): number {
  let amount = 0;
  for (const { interval, usage } of counted)
    if (interval.startMs >= startMs && interval.startMs < endMs) amount += amountOf(metric, usage);
  return amount;
}

/** The levels that an amount has reached, in the order in which they fire. */
export function levelsReached(current: number, limit: number): BudgetLevel[] {
  if (current >= limit) return ['warning', 'exceeded'];
  return hasReached(current, limit, BUDGET_WARNING_RATIO) ? ['warning'] : [];
}

/**
 * Returns true when an amount has reached a share of a limit. Exact, although the products may be larger than a double holds.
 * A limit of counts may have a fraction, which BigInt does not take.
 */
export function hasReached(
  current: number,
  limit: number,
  { numerator, denominator }: { numerator: number; denominator: number },
): boolean {
  if (!Number.isInteger(limit)) return current * denominator >= limit * numerator;
  return BigInt(current) * BigInt(denominator) >= BigInt(limit) * BigInt(numerator);
}

export function stateOf(current: number, limit: number): BudgetState {
  return levelsReached(current, limit).at(-1) ?? 'ok';
}

/** Every level that a budget has reached in windows that may still fire, warning before exceeded. Pure. */
export function evaluateBudget(
  budget: Budget,
  windows: readonly WindowUsage[],
  nowMs: number,
): LevelReached[] {
  return windows
    .filter(({ interval }) => mayFire(interval, nowMs))
    .flatMap(({ interval, usage }) => {
      const current = amountOf(budget.metric, usage);
      const limited = inForceIn(budget, interval, nowMs);
      return levelsReached(current, limited.limit).map((level) => ({
        budget: limited,
        level,
        interval,
        current,
      }));
    });
}

/** A closed window may fire until 48 h after its end. */
export function mayFire(interval: Interval, nowMs: number): boolean {
  return nowMs < interval.endMs + CLOSED_WINDOW_FIRES_MS;
}

/** The pace is measured over at least this part of the window, so that its first minutes give no absurd forecast. */
const SHORTEST_PACE = 1 / 20;

/**
 * The amount at the window's end if usage continues at the pace so far; in the unit of `current`. One that does not end has no
 * other than `current`.
 */
export function forecast(current: number, interval: Interval, nowMs: number): number {
  if (interval.endMs === NEVER_MS) return current;
  const lengthMs = interval.endMs - interval.startMs;
  const elapsedMs = Math.min(Math.max(nowMs - interval.startMs, lengthMs * SHORTEST_PACE), lengthMs);
  const leftMs = Math.max(0, interval.endMs - Math.max(nowMs, interval.startMs));
  return Math.round(current + (current / elapsedMs) * leftMs);
}
