import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import type { Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { insertRow } from '../../../platform/mongo/writes.ts';
import type { NewEvent } from '../../events/record/new-event.ts';
import { planEvents } from '../../events/webhooks/deliveries/plan-events.ts';
import { withWords } from '../../events/webhooks/deliveries/with-words.ts';
import type { Subscribers } from '../../events/webhooks/endpoints/find-subscribers.ts';
import { type RecordedFields, wingsOf } from '../../hooks/wing.ts';
import { planWindows } from '../../limits/budgets/count/plan-windows.ts';
import type { Rules } from '../../limits/budgets/rules/rules.ts';
import { planSettlements } from '../../limits/enforcement/reserve/plan-settlements.ts';
import { type Assignment, timeoutMsOf } from '../sessions/assign.ts';
import type { Session, SessionChange } from '../sessions/model.ts';
import { hasEnded, planHead, planSessions } from '../sessions/plan-sessions.ts';
import { viewSession } from '../sessions/view.ts';
import type { Draft } from '../signals/check-signal.ts';
import { withoutFreeText } from '../signals/erase-free-text.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { planRollups, rollupChanges } from '../usage/plan-rollups.ts';

interface AssignedBatch {
  signals: readonly Draft[];
  /** Those of history that raise no events. */
  past: ReadonlySet<Draft>;
  assignments: readonly Assignment[];
  /** Session id by signal key. */
  sessionOf: ReadonlyMap<string, string>;
  /** Fields that wings give signals, by signal key. */
  fields: ReadonlyMap<string, RecordedFields>;
  /** The counter shard that is written in. */
  shard: number;
  /** True for a row of a session key that has no session: then the row is inserted. */
  isNew: (of: Identity) => boolean;
}

/** The fields that make a session key. */
export type Identity = Pick<Session, 'org_id' | 'user_id' | 'project_id' | 'adapter'>;

/** The plans of all nouns for a batch, in the order of their writes. Others have their turn between the parts of a large one. */
export async function planBatch(
  ctx: Context,
  { organization, subscribers, limits }: Rules,
  { signals: drafts, past, assignments, sessionOf, fields, shard, isNew }: AssignedBatch,
  transaction: ClientSession,
): Promise<readonly Plan[]> {
  if (drafts.length === 0) return [];
  const signals = drafts.map((draft) => recordedOf(draft, fields.get(draft._id)));
  const orgId = organization._id;
  const timeoutMs = timeoutMsOf(organization);
  const nowMs = ctx.clock.now();
  const changes = assignments.flatMap(({ changed }) => changed);
  const heads = assignments.flatMap(({ moved, newest }) => (moved && newest ? [newest] : []));
  const pastIds = new Set(drafts.filter((draft) => past.has(draft)).map(({ _id }) => _id));
  const isLive = ({ _id }: Recorded) => !pastIds.has(_id);
  const live = new Set(signals.filter(isLive).map(({ _id }) => sessionOf.get(_id)));
  const touched = new Set(sessionOf.values());
  // A session without signals of this batch ended because a newer one began: that is no history.
  const isPastChange = ({ after }: SessionChange) => touched.has(after._id) && !live.has(after._id);
  await turn(signals);
  const increments = rollupChanges(organization, signals, changes);
  await turn(signals);
  const rollups = planRollups(organization, increments, { nowMs, isNew });
  await turn(signals);
  const sessions = await planSessionChanges(ctx, changes, {
    timeoutMs,
    // The batch writes the organization's version whether it raises events or not.
    subscribers: { webhooks: subscribers, guard: [] },
    isPast: isPastChange,
    transaction,
  });
  await turn(signals);
  const sides = limits.budgets.length === 0 ? [] : [false, true];
  const windows = sides.map((isSilent) => {
    const counted = {
      signals: signals.filter((signal) => isLive(signal) !== isSilent),
      sessions: changes.filter((change) => isPastChange(change) === isSilent),
    };
    return planWindows(orgId, limits, counted, { shard, nowMs, isSilent });
  });
  await turn(signals);
  const erased = new Set(organization.erased_users);
  const settling = drafts.filter(({ reservation_id }) => reservation_id !== undefined);
  const kept = (signal: Recorded) => (erased.has(signal.user_id) ? withoutFreeText(signal) : signal);
  const writes = [
    ...signals.map((signal) =>
      insertRow(signalRows, { ...kept(signal), session_id: sessionOf.get(signal._id) as string }),
    ),
    ...heads.map((head) => planHead(head, isNew(head))),
    ...rollups,
    ...(settling.length === 0 ? [] : planSettlements(orgId, settling, nowMs)),
  ];
  return [{ writes, wakeUps: [] }, ...sessions, ...windows];
}

/** A signal as it is recorded: with the fields that wings give it, without those that they have read. */
type Recorded = Omit<Signal, 'session_id'>;

function recordedOf(
  { parts: _parts, settles_own: _settles, ...draft }: Draft,
  fields: RecordedFields | undefined,
): Recorded {
  return fields ? { ...draft, ...fields } : draft;
}

/** From this many signals on, a batch is planned in several turns of the event loop. */
const MANY_SIGNALS = 100;

/** Without it a thousand signals of new users hold the event loop for 72 ms (docs/reliability.md). */
async function turn(signals: readonly Recorded[]): Promise<void> {
  if (signals.length >= MANY_SIGNALS) await nextTurn();
}

interface Circumstances {
  timeoutMs: number;
  subscribers: Subscribers;
  /** True for a change by history alone, in which wings take no part and which raises no events. */
  isPast?: (change: SessionChange) => boolean;
  transaction: ClientSession;
}

/**
 * The plans of changes of sessions: the sessions, the due rows of those that open or end, the parts of the wings, and the
 * events with their deliveries.
 */
export async function planSessionChanges(
  ctx: Context,
  changes: readonly SessionChange[],
  { timeoutMs, subscribers, isPast = () => false, transaction }: Circumstances,
): Promise<readonly Plan[]> {
  const present = changes.filter((change) => !isPast(change));
  const events = changes.flatMap((change) => eventsOf(change, isPast(change)));
  const spoken = await withWords(ctx, events, subscribers.webhooks, transaction);
  const raised = spoken.length === 0 ? [] : [planEvents(spoken, subscribers, ctx.clock.now())];
  const wings = wingsOf(ctx).flatMap(({ calls }) => calls?.changed?.(ctx, present) ?? []);
  return [...planSessions(changes, timeoutMs), ...wings, ...raised];
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
  const { _id, org_id, user_id, project_id } = session;
  const concerns = { people: [user_id], projects: [project_id] };
  return { type, cause: [_id], org_id, ts, concerns, data: { ...viewSession(session) } };
}
