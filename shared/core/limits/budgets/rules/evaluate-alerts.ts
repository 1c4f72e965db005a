import type { Interval } from '../../../../platform/basics/interval.ts';
import { isConcerned } from '../../../events/webhooks/endpoints/filter.ts';
import type { Subscriber } from '../../../events/webhooks/endpoints/find-subscribers.ts';
import { isChannel } from '../../../events/webhooks/endpoints/model.ts';
import { concernsOf } from './concerns.ts';
import { amountOf, forecast, hasReached, mayFire, type WindowUsage } from './evaluate.ts';
import { inForceIn } from './in-force.ts';
import type { Budget } from './model.ts';
import { NEVER_MS } from './windows.ts';

export interface CountedBudget {
  budget: Budget;
  windows: readonly WindowUsage[];
}

/** An alert that a webhook asked for: a budget's window has reached a per cent, or its forecast is beyond the limit. */
export interface Alert {
  webhookId: string;
  budget: Budget;
  interval: Interval;
  /** In the unit of the budget's limit, as `forecast` is. */
  current: number;
  about: { alertAt: number } | { forecast: number };
}

/** The part of the window after which forecasts raise alerts. */
const FORECAST_FROM = { numerator: 1, denominator: 5 } as const;

export function asksForAlerts({ alert_at, forecast: isAsked }: Subscriber): boolean {
  return alert_at.length > 0 || isAsked;
}

/**
 * Every alert that these webhooks have asked for and that is true now, sent before or not: together those of one webhook about
 * one window. Made one by one, as there may be a thousand per budget. Pure.
 */
export function* evaluateAlerts(
  asking: readonly Subscriber[],
  counted: readonly CountedBudget[],
  nowMs: number,
): Generator<Alert[]> {
  for (const { budget, windows } of counted)
    for (const window of windows) {
      const alerted = asking.filter((webhook) => mayAlert(webhook, budget, window.interval, nowMs));
      const limited = inForceIn(budget, window.interval, nowMs);
      for (const webhook of alerted) yield alertsOf(webhook, limited, window, nowMs);
    }
}

/** After a window's end no alert goes to a webhook that asked later, or for a budget that was recounted later. */
function mayAlert(webhook: Subscriber, budget: Budget, interval: Interval, nowMs: number): boolean {
  if (!isAsked(webhook, budget)) return false;
  if (nowMs < interval.endMs) return true;
  const sinceMs = Math.max(webhook.alerts_since.getTime(), budget.counted_at.getTime());
  return mayFire(interval, nowMs) && interval.endMs > sinceMs;
}

/** A webhook with a filter gets alerts of budgets that it names, and of those that it owns. */
function isAsked(webhook: Subscriber, budget: Budget): boolean {
  if (!webhook.filter || isConcerned(webhook, concernsOf(budget))) return true;
  return Boolean(budget.owner && 'webhook_id' in budget.owner && budget.owner.webhook_id === webhook._id);
}

function alertsOf(
  { _id, alert_at, forecast: isAsked, format }: Subscriber,
  budget: Budget,
  { interval, usage }: WindowUsage,
  nowMs: number,
): Alert[] {
  const current = amountOf(budget.metric, usage);
  const alert = { webhookId: _id, budget, interval, current };
  const reached = alert_at.filter((percent) =>
    hasReached(current, budget.limit, { numerator: percent, denominator: 100 }),
  );
  const alerts: Alert[] = reached
    .toSorted((a, b) => a - b)
    .map((alertAt) => ({ ...alert, about: { alertAt } }));
  const expected = forecast(current, interval, nowMs);
  // People have no use for a forecast of what has happened.
  const isOver = isChannel({ format }) && current >= budget.limit;
  const isDue = isAsked && !isOver && nowMs >= forecastFrom(interval) && nowMs < interval.endMs;
  return isDue && expected > budget.limit ? [...alerts, { ...alert, about: { forecast: expected } }] : alerts;
}

/** The moment of a window from which on forecasts raise alerts, epoch ms. Pure. */
export function forecastFrom({ startMs, endMs }: Interval): number {
  return Math.ceil(startMs + ((endMs - startMs) * FORECAST_FROM.numerator) / FORECAST_FROM.denominator);
}

/**
 * The next moment at which a forecast may raise an alert without further usage, because it is beyond the limit when forecasts
 * begin to. Epoch ms; null: never. Pure.
 */
export function nextForecastMs(
  webhooks: readonly Subscriber[],
  counted: readonly CountedBudget[],
  nowMs: number,
): number | null {
  if (!webhooks.some(({ forecast: isAsked }) => isAsked)) return null;
  const times = counted.flatMap(({ budget, windows }) =>
    windows
      .filter(({ interval }) => interval.endMs !== NEVER_MS && nowMs < forecastFrom(interval))
      .filter(({ interval, usage }) => {
        const current = amountOf(budget.metric, usage);
        return forecast(current, interval, forecastFrom(interval)) > budget.limit;
      })
      .map(({ interval }) => forecastFrom(interval)),
  );
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns whether an alert was true already at the midnight with which the last day of a rolling window began. Pure. */
export function heldAtOpening({ budget, about }: Alert, { interval, opening }: WindowUsage): boolean {
  if (!opening) return false;
  const current = amountOf(budget.metric, opening.usage);
  if ('alertAt' in about)
    return hasReached(current, budget.limit, { numerator: about.alertAt, denominator: 100 });
  return forecast(current, interval, opening.atMs) > budget.limit;
}
