import { planChecks } from '../anomalies/plan-checks.ts';
import type { NewEvent } from '../events/new-event.ts';
import { joinPlans, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import type { Session, SessionChange } from '../sessions/model.ts';
import { hasEnded, planSessions } from '../sessions/plan-sessions.ts';
import { viewSession } from '../sessions/view.ts';
import { planEvents } from '../webhooks/deliveries/plan-events.ts';
import type { Subscribers } from '../webhooks/endpoints/find-subscribers.ts';

interface Circumstances {
  timeoutMs: number;
  subscribers: Subscribers;
  /** True for a change by history alone, which is not checked for anomalies and raises no events. */
  isPast?: (change: SessionChange) => boolean;
}

/**
 * The plan of every change of sessions: the sessions, the due rows of those that open or end, the checks for anomalies, and the
 * events with their deliveries.
 */
export async function planSessionChanges(
  ctx: Context,
  changes: readonly SessionChange[],
  { timeoutMs, subscribers, isPast = () => false }: Circumstances,
): Promise<Plan> {
  const present = changes.filter((change) => !isPast(change));
  const events = changes.flatMap((change) => eventsOf(change, isPast(change)));
  const raised = planEvents(events, subscribers, ctx.clock.now());
  return joinPlans(planSessions(changes, timeoutMs), planChecks(ctx, present), raised);
}

/** A session that history has opened raises nothing; the end of a session that raised its start does. */
function eventsOf(change: SessionChange, isPast: boolean): NewEvent[] {
  const { before, after } = change;
  if (isPast && before === null) return [];
  const started = before ? [] : [eventOf('session.started', after, after.started_at)];
  return hasEnded(change) ? [...started, eventOf('session.ended', after, after.ended_at)] : started;
}

/** One per session and type, with the session as it is at that time. */
function eventOf(type: NewEvent['type'], session: Session, ts: Date): NewEvent {
  return { type, cause: [session._id], org_id: session.org_id, ts, data: { ...viewSession(session) } };
}
