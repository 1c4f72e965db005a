import type { ClientSession } from 'mongoose';
import { eventIdOf, type NewEvent } from '../events/new-event.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { mapAtPace } from '../platform/basics/next-turn.ts';
import { NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import { insertRow } from '../platform/mongo/writes.ts';
import { planEvents } from '../webhooks/deliveries/plan-events.ts';
import type { Subscribers } from '../webhooks/endpoints/find-subscribers.ts';
import type { LevelReached } from './evaluate.ts';
import { firingCause, firingKey } from './keys.ts';
import { budgetFiringRows } from './model.ts';
import { firingOf } from './plan-history.ts';
import { shown, thresholdOf } from './view.ts';

/** The plan that fires the levels that have not fired yet, each with its event. At a pace that holds nobody up. */
export async function planFirings(
  ctx: Context,
  reached: readonly LevelReached[],
  subscribers: Subscribers,
  transaction: ClientSession,
): Promise<{ plan: Plan; count: number }> {
  const keyed = await mapAtPace(reached, (level) => ({ level, key: keyOf(level) }));
  const firedAt = await findFired(
    ctx,
    keyed.map(({ key }) => key),
    transaction,
  );
  const fresh = keyed.filter(({ key }) => !firedAt.has(key));
  if (fresh.length === 0) return { plan: NO_PLAN, count: 0 };
  const nowMs = ctx.clock.now();
  const planned = await mapAtPace(fresh, ({ level }) => {
    const warnedMs = firedAt.get(keyOf({ ...level, level: 'warning' })) ?? 0;
    // Another worker's clock may be ahead: exceeded is never earlier than its warning.
    const at = dateAt(Math.max(nowMs, warnedMs));
    const event = eventOf(level, at);
    return { event, firing: firingOf(level, at, eventIdOf(event)) };
  });
  const events = await planEvents(
    planned.map(({ event }) => event),
    subscribers,
    nowMs,
  );
  const writes = [...planned.map(({ firing }) => insertRow(budgetFiringRows, firing)), ...events.writes];
  return { plan: { writes, wakeUps: events.wakeUps }, count: planned.length };
}

/** When those of these firings that are known have fired (epoch ms), by their keys. */
async function findFired(
  ctx: Context,
  keys: readonly string[],
  transaction: ClientSession,
): Promise<ReadonlyMap<string, number>> {
  const known = await findByIds(budgetFiringRows(ctx), keys, transaction);
  return new Map(known.map((firing) => [firing._id, firing.fired_at.getTime()]));
}

function keyOf({ budget, interval, level }: LevelReached): string {
  return firingKey(budget, interval.startMs, level);
}

/** The event of a level, with the payload of its type. */
function eventOf({ budget, interval, level, current }: LevelReached, ts: Date): NewEvent {
  const { _id, name, scope, scope_id, metric, window, org_id } = budget;
  const cause = firingCause(budget, interval.startMs, level);
  const amounts = { threshold: thresholdOf(budget), current: shown(metric, current) };
  const who = { scope, scope_id };
  const named = { budget_id: _id, budget_name: name };
  if (level === 'exceeded') {
    const data = { ...named, ...who, ...amounts, window, metric };
    return { type: 'budget.exceeded', cause, org_id, ts, data };
  }
  const event: NewEvent = { type: 'budget.warning', cause, org_id, ts, data: {} };
  return { ...event, data: { ...named, ...amounts, ...who, event_id: eventIdOf(event) } };
}
