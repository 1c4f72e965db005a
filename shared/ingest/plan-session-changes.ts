import { planChecks } from '../anomalies/plan-checks.ts';
import type { NewEvent } from '../events/new-event.ts';
import { joinPlans, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { sessionEnded, sessionStarted } from '../sessions/events.ts';
import { hasEnded, planSessions, type SessionChange } from '../sessions/plan-sessions.ts';
import { planEvents } from '../webhooks/deliveries/plan-events.ts';
import type { Subscriber } from '../webhooks/endpoints/find-subscribers.ts';

/**
 * The plan of every change of sessions, whatever caused it: the sessions, the due rows of those that open or end, the
 * looks for anomalies, and the events with their deliveries.
 */
export function planSessionChanges(
  ctx: Context,
  changes: readonly SessionChange[],
  { timeoutMs, subscribers }: { timeoutMs: number; subscribers: readonly Subscriber[] },
): Plan {
  return joinPlans(
    planSessions(changes, timeoutMs),
    planChecks(ctx, changes),
    planEvents(changes.flatMap(eventsOf), subscribers, ctx.clock.now()),
  );
}

function eventsOf(change: SessionChange): NewEvent[] {
  const { before, after } = change;
  return [...(before ? [] : [sessionStarted(after)]), ...(hasEnded(change) ? [sessionEnded(after)] : [])];
}
