import type { ClientSession } from 'mongoose';
import { eventIdOf, type NewEvent } from '../events/new-event.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { derivedId } from '../platform/basics/ids.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { raiseDue } from '../platform/due/plan-due.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import { insertRow } from '../platform/mongo/writes.ts';
import { planEvents } from '../webhooks/deliveries/plan-events.ts';
import type { Subscriber } from '../webhooks/endpoints/find-subscribers.ts';
import { type Alert, type CountedBudget, evaluateAlerts, forecastTimes } from './evaluate-alerts.ts';
import { lookAtForecastsJob } from './jobs.ts';
import { type BudgetAlert, budgetAlertRows } from './model.ts';
import { planEvaluation } from './plan-evaluation.ts';
import { shown, thresholdOf } from './view.ts';

/** Alerts of one evaluation; the next one sends the rest. */
const ALERTS_AT_ONCE = 500;

/** The plan that sends the alerts that webhooks asked for and have not had yet, each with the row that says it was sent. */
export async function planAlerts(
  ctx: Context,
  orgId: string,
  { subscribers, counted }: { subscribers: readonly Subscriber[]; counted: readonly CountedBudget[] },
  transaction: ClientSession,
): Promise<{ plan: Plan; count: number }> {
  const nowMs = ctx.clock.now();
  const alerts = evaluateAlerts(subscribers, counted, nowMs);
  const sent = await findSent(ctx, alerts, transaction);
  const unsent = alerts.filter((alert) => !sent.has(alertKey(alert)));
  const fresh = unsent.slice(0, ALERTS_AT_ONCE);
  const later = unsent.slice(ALERTS_AT_ONCE);
  const planned = fresh.map((alert) => ({ alert, event: eventOf(alert, dateAt(nowMs)) }));
  const events = await planEvents(
    planned.map(({ event }) => event),
    subscribers,
    nowMs,
  );
  const rows = planned.map(({ alert, event }) =>
    insertRow(budgetAlertRows, rowOf(alert, eventIdOf(event), nowMs)),
  );
  const plan = joinPlans(
    { writes: rows, wakeUps: [] },
    events,
    planRest(orgId, later, nowMs),
    ...forecastTimes(subscribers, counted, nowMs).map((dueMs) => planLook(orgId, dueMs)),
  );
  return { plan, count: fresh.length };
}

async function findSent(
  ctx: Context,
  alerts: readonly Alert[],
  transaction: ClientSession,
): Promise<ReadonlySet<string>> {
  const rows = await findByIds(budgetAlertRows(ctx), alerts.map(alertKey), transaction);
  return new Set(rows.map(({ _id }) => _id));
}

function planRest(orgId: string, later: readonly Alert[], nowMs: number): Plan {
  if (later.length === 0) return NO_PLAN;
  const earliestEndMs = Math.min(...later.map(({ interval }) => interval.endMs));
  return planEvaluation(orgId, { shard: 0, earliestEndMs, nowMs });
}

function planLook(orgId: string, dueMs: number): Plan {
  return raiseDue(lookAtForecastsJob, { key: `${orgId}/${dueMs}`, orgId, dueMs });
}

function rowOf(alert: Alert, eventId: string, nowMs: number): BudgetAlert {
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

function alertKey(alert: Alert): string {
  return derivedId('bal', ...causeOf(alert));
}

/** What makes an alert this alert and no other: one per webhook, budget, window and per cent. */
function causeOf(alert: Alert): readonly (string | number)[] {
  return [alert.webhookId, alert.budget._id, alert.interval.startMs, aboutOf(alert)];
}

function aboutOf({ about }: Alert): number | 'forecast' {
  return 'alertAt' in about ? about.alertAt : 'forecast';
}

function eventOf(alert: Alert, ts: Date): NewEvent {
  const { webhookId, budget, current, about } = alert;
  const { _id, name, scope, scope_id, metric, window, org_id } = budget;
  const amounts = { threshold: thresholdOf(budget), current: shown(metric, current) };
  const data = { budget_id: _id, budget_name: name, scope, scope_id, ...amounts, window, metric };
  const event = { cause: causeOf(alert), org_id, ts, webhook_id: webhookId };
  if ('alertAt' in about)
    return { ...event, type: 'budget.threshold', data: { ...data, alert_at: about.alertAt } };
  return { ...event, type: 'budget.forecast', data: { ...data, forecast: shown(metric, about.forecast) } };
}
