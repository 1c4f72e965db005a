import type { Interval } from '../platform/basics/interval.ts';
import { createPace } from '../platform/basics/next-turn.ts';
import type { Subscriber } from '../webhooks/endpoints/find-subscribers.ts';
import { amountOf, forecast, hasReached, mayFire, type WindowUsage } from './evaluate.ts';
import type { Budget } from './model.ts';

/** A budget and its windows, as an evaluation reads them. */
export interface CountedBudget {
  budget: Budget;
  windows: readonly WindowUsage[];
}

/** What a webhook asked to be told of a window of a budget: a per cent that is reached, or a forecast beyond the limit. */
export interface Alert {
  webhookId: string;
  budget: Budget;
  interval: Interval;
  /** In the unit of the budget's limit, as `forecast` is. */
  current: number;
  about: { alertAt: number } | { forecast: number };
}

/** The part of the window after which a forecast is told. */
const FORECAST_FROM = { numerator: 1, denominator: 5 } as const;

/** Whether a webhook has asked for alerts. */
export function asksForAlerts({ alert_at, forecast: isAsked }: Subscriber): boolean {
  return alert_at.length > 0 || isAsked;
}

/**
 * Every alert that these webhooks have asked for and that holds now, whether it was sent before or not: there may be a
 * thousand per budget. Pure, at a pace that holds nobody up.
 */
export async function* evaluateAlerts(
  asking: readonly Subscriber[],
  counted: readonly CountedBudget[],
  nowMs: number,
): AsyncGenerator<Alert> {
  const pace = createPace();
  for (const { budget, windows } of counted)
    for (const window of windows) {
      const told = asking.filter((webhook) => mayTell(webhook, budget, window.interval, nowMs));
      for (const webhook of told) {
        yield* alertsOf(webhook, budget, window, nowMs);
        await pace();
      }
    }
}

/** A window that has ended is no news to a webhook that asked after its end, nor for a budget that was counted anew after it. */
function mayTell({ alerts_since }: Subscriber, budget: Budget, interval: Interval, nowMs: number): boolean {
  if (nowMs < interval.endMs) return true;
  const sinceMs = Math.max(alerts_since.getTime(), budget.counted_at.getTime());
  return mayFire(interval, nowMs) && interval.endMs > sinceMs;
}

function alertsOf(
  { _id, alert_at, forecast: isAsked }: Subscriber,
  budget: Budget,
  { interval, usage }: WindowUsage,
  nowMs: number,
): Alert[] {
  const current = amountOf(budget.metric, usage);
  const alert = { webhookId: _id, budget, interval, current };
  const reached = alert_at.filter((percent) =>
    hasReached(current, budget.limit, { numerator: percent, denominator: 100 }),
  );
  const told: Alert[] = reached
    .toSorted((a, b) => a - b)
    .map((alertAt) => ({ ...alert, about: { alertAt } }));
  const expected = forecast(current, interval, nowMs);
  const isTold = isAsked && nowMs >= forecastFrom(interval) && nowMs < interval.endMs;
  return isTold && expected > budget.limit ? [...told, { ...alert, about: { forecast: expected } }] : told;
}

function forecastFrom({ startMs, endMs }: Interval): number {
  return Math.ceil(startMs + ((endMs - startMs) * FORECAST_FROM.numerator) / FORECAST_FROM.denominator);
}

/**
 * When budgets have to be looked at again although nothing is used until then: where the usage so far would pass the
 * limit by its forecast once forecasts are told. Epoch ms; null: never. Pure.
 */
export function nextForecastMs(
  webhooks: readonly Subscriber[],
  counted: readonly CountedBudget[],
  nowMs: number,
): number | null {
  if (!webhooks.some(({ forecast: isAsked }) => isAsked)) return null;
  const times = counted.flatMap(({ budget, windows }) =>
    windows
      .filter(({ interval }) => nowMs < forecastFrom(interval))
      .filter(({ interval, usage }) => {
        const current = amountOf(budget.metric, usage);
        return forecast(current, interval, forecastFrom(interval)) > budget.limit;
      })
      .map(({ interval }) => forecastFrom(interval)),
  );
  return times.length === 0 ? null : Math.min(...times);
}
