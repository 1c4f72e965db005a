import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { derivedId } from '../../../../platform/basics/ids.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { findByIds } from '../../../../platform/mongo/find-by-ids.ts';
import { insertRow, updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import { eventIdOf, type NewEvent } from '../../../events/record/new-event.ts';
import { isOfRolling } from '../count/rolling.ts';
import { addressOf } from '../rules/concerns.ts';
import { type Alert, type CountedBudget, heldAtOpening } from '../rules/evaluate-alerts.ts';
import { type BudgetAlert, budgetAlertRows } from '../rules/fired.ts';
import { levelOf, personCause } from '../rules/keys.ts';
import { shownExact, thresholdOf } from '../rules/view.ts';
import { splitCarried } from './carried.ts';
import type { RaisedByBudget } from './with-budget-words.ts';

export interface PlannedAlerts {
  raised: RaisedByBudget[];
  writes: Write[];
}

export async function planAlerts(
  ctx: Context,
  alerts: readonly Alert[],
  counted: readonly CountedBudget[],
  transaction: ClientSession,
): Promise<PlannedAlerts> {
  const nowMs = ctx.clock.now();
  const { fresh, carried } = await splitCarriedAlerts(ctx, alerts, counted, transaction);
  const raised = fresh.map((alert) => ({ event: eventOf(alert, dateAt(nowMs)), used: alert }));
  const rows = raised.map(({ used, event }) =>
    insertRow(budgetAlertRows, rowOf(used, eventIdOf(event), nowMs)),
  );
  const kept = carried.map((alert) => insertRow(budgetAlertRows, rowOf(alert, null, nowMs)));
  return { raised, writes: [...kept, ...rows] };
}

export async function findUnsent(
  ctx: Context,
  alerts: readonly Alert[],
  transaction: ClientSession,
): Promise<Alert[]> {
  const rows = await findByIds(budgetAlertRows(ctx), alerts.map(alertKey), transaction);
  const sent = new Set(rows.map(({ _id }) => _id));
  return alerts.filter((alert) => !sent.has(alertKey(alert)));
}

/** Splits alerts that were not sent for their windows: one of a rolling budget may have been sent for an earlier one. */
async function splitCarriedAlerts(
  ctx: Context,
  alerts: readonly Alert[],
  counted: readonly CountedBudget[],
  transaction: ClientSession,
): Promise<{ fresh: Alert[]; carried: Alert[] }> {
  const rolling = new Set(alerts.filter(isOfRolling).map(({ budget }) => budget._id));
  if (rolling.size === 0) return { fresh: [...alerts], carried: [] };
  const rows = await budgetAlertRows(ctx)
    .find({ budget_id: { $in: [...rolling] } }, { session: transaction })
    .toArray();
  const windows = new Map(counted.map(({ budget, windows: own }) => [budget._id, own]));
  const starts = Map.groupBy(rows, (row) => nameOf(row.webhook_id, row.budget_id, row.about));
  return splitCarried(alerts, {
    nameOf: (alert) =>
      rolling.has(alert.budget._id) ? nameOf(alert.webhookId, alert.budget._id, aboutOf(alert)) : null,
    heldIn: new Map([...starts].map(([name, own]) => [name, own.map((row) => row.window_start.getTime())])),
    windowsOf: ({ budget }) => windows.get(budget._id) ?? [],
    heldAtOpening,
  });
}

function nameOf(webhookId: string, budgetId: string, about: BudgetAlert['about']): string {
  return `${webhookId} ${budgetId} ${about}`;
}

function rowOf(alert: Alert, eventId: string | null, nowMs: number): BudgetAlert {
  const { webhookId, budget, interval } = alert;
  return {
    _id: alertKey(alert),
    org_id: budget.org_id,
    webhook_id: webhookId,
    budget_id: budget._id,
    window_start: dateAt(interval.startMs),
    window_end: dateAt(interval.endMs),
    about: aboutOf(alert),
    event_id: eventId,
    sent_at: dateAt(nowMs),
  };
}

/** The writes that skip alerts, unless they were sent. Pure. */
export function skipAlerts(alerts: readonly Alert[], nowMs: number): Write[] {
  return alerts.map((alert) => {
    const { _id, ...skipped } = rowOf(alert, null, nowMs);
    return updateRow(budgetAlertRows, { _id }, { $setOnInsert: skipped }, { upsert: true });
  });
}

export function alertKey(alert: Alert): string {
  return derivedId('bal', ...causeOf(alert));
}

/** The cause of an alert, which its id is derived from: one per webhook, budget, person of a template, window and per cent. */
function causeOf(alert: Alert): readonly (string | number)[] {
  const { webhookId, budget, interval } = alert;
  return [webhookId, budget._id, interval.startMs, aboutOf(alert), ...personCause(budget)];
}

function aboutOf({ about }: Alert): number | 'forecast' {
  return 'alertAt' in about ? about.alertAt : 'forecast';
}

function eventOf(alert: Alert, ts: Date): NewEvent {
  const { webhookId, budget, interval, current, about } = alert;
  const { _id, name, scope, scope_id, metric, window, org_id } = budget;
  const amounts = { threshold: thresholdOf(budget), current: shownExact(budget, current) };
  const data = { budget_id: _id, budget_name: name, scope, scope_id, ...amounts, window, metric };
  const rank = 'alertAt' in about ? about.alertAt : 0;
  const level = { of: levelOf(budget, interval), rank };
  const address = { webhook_id: webhookId, ...addressOf(budget, ts.getTime()) };
  const event = { cause: causeOf(alert), org_id, ts, ...address, level };
  if ('alertAt' in about)
    return { ...event, type: 'budget.threshold', data: { ...data, alert_at: about.alertAt } };
  return {
    ...event,
    type: 'budget.forecast',
    data: { ...data, forecast: shownExact(budget, about.forecast) },
  };
}
