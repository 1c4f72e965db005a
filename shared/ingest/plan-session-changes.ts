import { planChecks } from '../anomalies/plan-checks.ts';
import type { NewEvent } from '../events/new-event.ts';
import { createPace } from '../platform/basics/next-turn.ts';
import { joinPlans, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import type { Session } from '../sessions/model.ts';
import { hasEnded, planSessions, type SessionChange } from '../sessions/plan-sessions.ts';
import { viewSession } from '../sessions/view.ts';
import { planEvents } from '../webhooks/deliveries/plan-events.ts';
import type { Subscribers } from '../webhooks/endpoints/find-subscribers.ts';

/** What the plan of session changes depends on. */
interface Circumstances {
  timeoutMs: number;
  subscribers: Subscribers;
  /** Whether a change came from history alone, which is looked at for no anomalies and raises no events. */
  isPast?: (change: SessionChange) => boolean;
}

/**
 * The plan of every change of sessions, whatever caused it: the sessions, the due rows of those that open or end, the
 * looks for anomalies, and the events with their deliveries. At a pace that holds nobody up.
 */
export async function planSessionChanges(
  ctx: Context,
  changes: readonly SessionChange[],
  { timeoutMs, subscribers, isPast = () => false }: Circumstances,
): Promise<Plan> {
  const pace = createPace();
  const telling = changes.filter((change) => !isPast(change));
  const events = changes.flatMap((change) => eventsOf(change, isPast(change)));
  const sessions = planSessions(changes, timeoutMs);
  await pace();
  const checks = planChecks(ctx, telling);
  return joinPlans(sessions, checks, await planEvents(events, subscribers, ctx.clock.now()));
}

/** A session that history has opened raises nothing; the end of one that was told of before is told. */
function eventsOf(change: SessionChange, isPast: boolean): NewEvent[] {
  const { before, after } = change;
  if (isPast && before === null) return [];
  const started = before ? [] : [eventOf('session.started', after, after.started_at)];
  return hasEnded(change) ? [...started, eventOf('session.ended', after, after.ended_at)] : started;
}

/** One per session and type, with the session as it is then. */
function eventOf(type: NewEvent['type'], session: Session, ts: Date): NewEvent {
  return { type, cause: [session._id], org_id: session.org_id, ts, data: { ...viewSession(session) } };
}
