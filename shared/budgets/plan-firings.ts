import type { ClientSession } from 'mongoose';
import { eventIdOf, type NewEvent } from '../events/new-event.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { insertRow } from '../platform/mongo/writes.ts';
import { planEvents } from '../webhooks/deliveries/plan-events.ts';
import type { Subscriber } from '../webhooks/endpoints/find-subscribers.ts';
import type { LevelReached } from './evaluate.ts';
import { firingOf } from './firing-of.ts';
import { firingCause, firingKey } from './keys.ts';
import { budgetFiringRows } from './model.ts';
import { shown, thresholdOf } from './view.ts';

/** The plan that fires the levels that have not fired yet, each with its event. */
export async function planFirings(
  ctx: Context,
  reached: readonly LevelReached[],
  subscribers: readonly Subscriber[],
  transaction: ClientSession,
): Promise<{ plan: Plan; count: number }> {
  const firedAt = await findFired(ctx, reached, transaction);
  const fresh = reached.filter((level) => !firedAt.has(keyOf(level)));
  if (fresh.length === 0) return { plan: NO_PLAN, count: 0 };
  const nowMs = ctx.clock.now();
  const planned = fresh.map((level) => {
    const warnedMs = firedAt.get(keyOf({ ...level, level: 'warning' })) ?? 0;
    // Another worker's clock may be ahead: exceeded is never earlier than its warning.
    const at = dateAt(Math.max(nowMs, warnedMs));
    return { level, at, event: eventOf(level, at) };
  });
  const firings = planned.map(({ level, at, event }) => firingOf(level, at, eventIdOf(event)));
  const events = await planEvents(
    planned.map(({ event }) => event),
    subscribers,
    nowMs,
  );
  const writes = [...firings.map((firing) => insertRow(budgetFiringRows, firing)), ...events.writes];
  return { plan: { writes, wakeUps: events.wakeUps }, count: planned.length };
}

/** When each of these levels has fired (epoch ms), by firing key. */
async function findFired(
  ctx: Context,
  reached: readonly LevelReached[],
  transaction: ClientSession,
): Promise<ReadonlyMap<string, number>> {
  if (reached.length === 0) return new Map();
  const known = await budgetFiringRows(ctx)
    .find({ _id: { $in: reached.map(keyOf) } }, { session: transaction })
    .toArray();
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
