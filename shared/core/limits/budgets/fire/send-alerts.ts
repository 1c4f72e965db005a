import type { ClientSession } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import { ALL_COUNTER_SHARDS, secondShard } from '../../../../platform/mongo/counter-shards.ts';
import { planEvents } from '../../../events/webhooks/deliveries/plan-events.ts';
import type { Subscriber } from '../../../events/webhooks/endpoints/find-subscribers.ts';
import { isChannel } from '../../../events/webhooks/endpoints/model.ts';
import { countedBudgets, findPersonWindows, windowsByCounter } from '../count/read-windows.ts';
import type { LevelReached } from '../rules/evaluate.ts';
import { type Alert, asksForAlerts, type CountedBudget, evaluateAlerts } from '../rules/evaluate-alerts.ts';
import { levelOf, personWindowKey, windowKey } from '../rules/keys.ts';
import { commitByRules, guardedSubscribers, type Rules } from '../rules/rules.ts';
import { alertKey, findUnsent, type PlannedAlerts, planAlerts } from './plan-alerts.ts';
import { withBudgetWords } from './with-budget-words.ts';

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
  for (const some of wholeBatches(alerts)) sent += await sendSome(ctx, orgId, some);
  return sent;
}

/** Alerts of one webhook about one window stay together, so that a channel gets the highest of them. */
function* wholeBatches(alerts: Iterable<readonly Alert[]>): Generator<Alert[]> {
  let batch: Alert[] = [];
  for (const together of alerts) {
    batch.push(...together);
    if (batch.length < ALERTS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Plans the alerts of channels about windows in which a level fires now, so that each channel gets the highest of all. A crowd of
 * them is left to `sendAlerts`.
 */
export async function planBeside(
  ctx: Context,
  fresh: readonly LevelReached[],
  { counted, webhooks }: { counted: readonly CountedBudget[]; webhooks: readonly Subscriber[] },
  transaction: ClientSession,
): Promise<PlannedAlerts> {
  const channels = webhooks.filter((webhook) => isChannel(webhook) && asksForAlerts(webhook));
  if (channels.length === 0) return { raised: [], writes: [] };
  const firing = new Set(fresh.map(({ budget, interval }) => levelOf(budget, interval)));
  const windows = counted.map(({ budget, windows: own }) => ({
    budget,
    windows: own.filter(({ interval }) => firing.has(levelOf(budget, interval))),
  }));
  const [some = []] = wholeBatches(evaluateAlerts(channels, windows, ctx.clock.now()));
  return planAlerts(ctx, await findUnsent(ctx, some, transaction), counted, transaction);
}

async function sendSome(ctx: Context, orgId: string, candidates: readonly Alert[]): Promise<number> {
  return commitByRules(ctx, orgId, { shardOf: secondShard }, async ({ rules, shard }, transaction) => {
    const unsent = await findUnsent(ctx, candidates, transaction);
    if (unsent.length === 0) return { result: 0 };
    const counted = await readAlerted(ctx, rules, unsent, transaction);
    const nowMs = ctx.clock.now();
    const alerts = decideAgain(unsent, { webhooks: rules.subscribers, counted, nowMs });
    const { raised, writes } = await planAlerts(ctx, alerts, counted, transaction);
    const subscribers = guardedSubscribers(rules, shard);
    const told = { limits: rules.limits, webhooks: subscribers.webhooks };
    const events = planEvents(await withBudgetWords(ctx, raised, told, transaction), subscribers, nowMs);
    return {
      writes: [...writes, ...events.writes],
      wakeUps: events.wakeUps,
      result: raised.length,
    };
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

function decideAgain(
  candidates: readonly Alert[],
  now: { webhooks: readonly Subscriber[]; counted: readonly CountedBudget[]; nowMs: number },
): Alert[] {
  const keys = new Set(candidates.map(alertKey));
  const named = new Set(candidates.map(({ webhookId }) => webhookId));
  const asking = now.webhooks.filter(({ _id }) => named.has(_id));
  const alerts = [...evaluateAlerts(asking, now.counted, now.nowMs)].flat();
  return alerts.filter((alert) => keys.has(alertKey(alert)));
}
