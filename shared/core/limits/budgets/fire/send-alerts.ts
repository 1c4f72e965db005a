import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { derivedId } from '../../../../platform/basics/ids.ts';
import { batches } from '../../../../platform/basics/in-batches.ts';
import { NO_PLAN } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { ALL_COUNTER_SHARDS, secondShard } from '../../../../platform/mongo/counter-shards.ts';
import { findByIds } from '../../../../platform/mongo/find-by-ids.ts';
import { insertRow, updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import { eventIdOf, type NewEvent } from '../../../events/record/new-event.ts';
import { planEvents } from '../../../events/webhooks/deliveries/plan-events.ts';
import type { Subscriber } from '../../../events/webhooks/endpoints/find-subscribers.ts';
import { countedBudgets, findPersonWindows, windowsByCounter } from '../count/read-windows.ts';
import { isOfRolling } from '../count/rolling.ts';
import { concernsOf } from '../rules/concerns.ts';
import { type Alert, type CountedBudget, evaluateAlerts, heldAtOpening } from '../rules/evaluate-alerts.ts';
import { type BudgetAlert, budgetAlertRows } from '../rules/fired.ts';
import { personCause, personWindowKey, windowKey } from '../rules/keys.ts';
import { commitByRules, guardedSubscribers, type Rules } from '../rules/rules.ts';
import { shownExact, thresholdOf } from '../rules/view.ts';
import { splitCarried } from './carried.ts';

/** Alerts of one transaction. */
const ALERTS_AT_ONCE = 500;

/**
 * Sends the alerts that webhooks asked for and have not had yet, some per transaction, each with the row that says it was
 * sent. `asking` and `counted` only name the alerts that may be due: the transaction that sends them decides by the budgets,
 * windows and webhooks that it sees. Repeating it sends none again. Returns how many.
 */
export async function sendAlerts(
  ctx: Context,
  orgId: string,
  { asking, counted }: { asking: readonly Subscriber[]; counted: readonly CountedBudget[] },
): Promise<number> {
  const alerts = evaluateAlerts(asking, counted, ctx.clock.now());
  let sent = 0;
  for await (const some of batches(alerts, ALERTS_AT_ONCE)) sent += await sendSome(ctx, orgId, some);
  return sent;
}

async function sendSome(ctx: Context, orgId: string, candidates: readonly Alert[]): Promise<number> {
  return commitByRules(ctx, orgId, { shardOf: secondShard }, async ({ rules, shard }, transaction) => {
    const sent = await findSent(ctx, candidates, transaction);
    const unsent = candidates.filter((alert) => !sent.has(alertKey(alert)));
    if (unsent.length === 0) return { ...NO_PLAN, result: 0 };
    const counted = await readAlerted(ctx, rules, unsent, transaction);
    const nowMs = ctx.clock.now();
    const alerts = decideAgain(unsent, { webhooks: rules.subscribers, counted, nowMs });
    const { fresh, carried } = await splitCarriedAlerts(ctx, alerts, counted, transaction);
    const planned = fresh.map((alert) => ({ alert, event: eventOf(alert, dateAt(nowMs)) }));
    const events = planEvents(
      planned.map(({ event }) => event),
      guardedSubscribers(rules, shard),
      nowMs,
    );
    const rows = planned.map(({ alert, event }) =>
      insertRow(budgetAlertRows, rowOf(alert, eventIdOf(event), nowMs)),
    );
    const kept = carried.map((alert) => insertRow(budgetAlertRows, rowOf(alert, null, nowMs)));
    return { writes: [...kept, ...rows, ...events.writes], wakeUps: events.wakeUps, result: fresh.length };
  });
}

/** The budgets of these alerts that still exist, with the windows that the alerts are about. */
async function readAlerted(
  ctx: Context,
  { organization, limits }: Rules,
  alerts: readonly Alert[],
  transaction: ClientSession,
): Promise<CountedBudget[]> {
  const counterOf = new Map(limits.budgets.map(({ budget, counter }) => [budget._id, counter]));
  const orgId = organization._id;
  const keys: string[] = [];
  const people: string[] = [];
  for (const { budget, interval } of alerts) {
    const counter = counterOf.get(budget._id);
    if (counter === undefined) continue;
    if (budget.per) people.push(personWindowKey(orgId, counter, interval.startMs, budget.scope_id));
    else
      for (const shard of ALL_COUNTER_SHARDS) keys.push(windowKey(orgId, counter, interval.startMs, shard));
  }
  const ids = new Set(alerts.map(({ budget }) => budget._id));
  const alerted = limits.budgets.filter(({ budget }) => ids.has(budget._id));
  const byCounter = new Map([
    ...(await windowsByCounter(ctx, orgId, alerted, { _id: { $in: [...new Set(keys)] } }, transaction)),
    ...Map.groupBy(
      await findPersonWindows(ctx, orgId, [...new Set(people)], transaction),
      ({ counter }) => counter,
    ),
  ]);
  return countedBudgets(alerted, byCounter, ctx.clock.now());
}

/** The candidates that are true now, with the amounts of now. */
function decideAgain(
  candidates: readonly Alert[],
  now: { webhooks: readonly Subscriber[]; counted: readonly CountedBudget[]; nowMs: number },
): Alert[] {
  const keys = new Set(candidates.map(alertKey));
  const named = new Set(candidates.map(({ webhookId }) => webhookId));
  const asking = now.webhooks.filter(({ _id }) => named.has(_id));
  return [...evaluateAlerts(asking, now.counted, now.nowMs)].filter((alert) => keys.has(alertKey(alert)));
}

async function findSent(
  ctx: Context,
  alerts: readonly Alert[],
  transaction: ClientSession,
): Promise<ReadonlySet<string>> {
  const rows = await findByIds(budgetAlertRows(ctx), alerts.map(alertKey), transaction);
  return new Set(rows.map(({ _id }) => _id));
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

function alertKey(alert: Alert): string {
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
  const { webhookId, budget, current, about } = alert;
  const { _id, name, scope, scope_id, metric, window, org_id } = budget;
  const amounts = { threshold: thresholdOf(budget), current: shownExact(budget, current) };
  const data = { budget_id: _id, budget_name: name, scope, scope_id, ...amounts, window, metric };
  const event = { cause: causeOf(alert), org_id, ts, webhook_id: webhookId, concerns: concernsOf(budget) };
  if ('alertAt' in about)
    return { ...event, type: 'budget.threshold', data: { ...data, alert_at: about.alertAt } };
  return {
    ...event,
    type: 'budget.forecast',
    data: { ...data, forecast: shownExact(budget, about.forecast) },
  };
}
