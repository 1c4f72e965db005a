import type { ClientSession } from 'mongoose';
import { type Session, sessionRows } from '../../core/calls/sessions/model.ts';
import { signalRows } from '../../core/calls/signals/model.ts';
import type { NewEvent } from '../../core/events/record/new-event.ts';
import { planEvents } from '../../core/events/webhooks/deliveries/plan-events.ts';
import { areTold, withWords } from '../../core/events/webhooks/deliveries/with-words.ts';
import { findSubscribers, type Subscriber } from '../../core/events/webhooks/endpoints/find-subscribers.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import { commitPlan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { replaceRow, updateRow, type Write } from '../../platform/mongo/writes.ts';
import { type FoundAnomaly, isWorthReporting, RUNAWAY } from './detect.ts';
import { findExpected } from './expected.ts';
import { type Anomaly, anomalyRows } from './model.ts';

/** The figures of a session that nothing but a void lowers. */
const COUNTS = ['signal_count', 'error_count', 'tokens_in', 'tokens_out'] as const;

/** Keeps the incidents that are new or have doubled, each with its event. Returns how many there were. */
export async function reportAnomalies(
  ctx: Context,
  session: Session,
  found: readonly FoundAnomaly[],
): Promise<number> {
  if (found.length === 0) return 0;
  return commitPlan(
    ctx,
    async (transaction) => {
      const known = await findKnown(ctx, session, found, transaction);
      const subscribers = await findSubscribers(ctx, session.org_id, transaction);
      const expected = await findExpected(ctx, session, found, transaction);
      const nowMs = ctx.clock.now();
      const at = dateAt(nowMs);
      const corrected = (await wasVoidedSince(ctx, session, transaction)) ? { corrected_at: at } : {};
      const incidents = found.flatMap((anomaly) => {
        const before = known.get(incidentKey(session._id, anomaly));
        // Figures that were corrected are no report of what is left.
        const isNews = isWorthReporting(anomaly, before?.corrected_at ? null : (before ?? null));
        const until = expected.get(anomaly.anomaly_type);
        return isNews ? [{ ...incidentOf(session, anomaly, { before, until }, at), ...corrected }] : [];
      });
      const raised = incidents.map((incident) => eventOf(incident, session));
      const spoken = await inWords(ctx, session, raised, { webhooks: subscribers.webhooks, transaction });
      const events = planEvents(spoken, subscribers, nowMs);
      const rows = incidents.map((incident) => replaceRow(anomalyRows, incident, { upsert: true }));
      return {
        writes: [...rows, ...planMarks(session, incidents), ...events.writes],
        wakeUps: events.wakeUps,
        result: incidents.length,
      };
    },
    // Another worker has reported the same at this moment.
    { onDuplicateKey: 'retry' },
  );
}

/**
 * True when a session has less of anything than when it was read: only a void takes signals away. One that comes later writes the
 * session's row, as the report does, so that one of the two begins again.
 */
async function wasVoidedSince(
  ctx: Context,
  { _id, org_id, ...seen }: Session,
  transaction: ClientSession,
): Promise<boolean> {
  const now = await sessionRows(ctx).findOne({ _id, org_id }, { session: transaction });
  return now !== null && COUNTS.some((count) => now[count] < seen[count]);
}

/** The session names the kinds of its anomalies, so that a list of sessions can filter by them. */
function planMarks({ _id, org_id }: Session, incidents: readonly Anomaly[]): Write[] {
  if (incidents.length === 0) return [];
  const types = incidents.map(({ anomaly_type }) => anomaly_type);
  return [updateRow(sessionRows, { _id, org_id }, { $addToSet: { anomaly_types: { $each: types } } })];
}

async function findKnown(
  ctx: Context,
  session: Session,
  found: readonly FoundAnomaly[],
  transaction: ClientSession,
): Promise<ReadonlyMap<string, Anomaly>> {
  const ids = found.map((anomaly) => incidentKey(session._id, anomaly));
  const known = await anomalyRows(ctx)
    .find({ _id: { $in: ids }, org_id: session.org_id }, { session: transaction })
    .toArray();
  return new Map(known.map((incident) => [incident._id, incident]));
}

function incidentKey(sessionId: string, { anomaly_type }: Pick<FoundAnomaly, 'anomaly_type'>): string {
  return derivedId('anm', anomaly_type, sessionId);
}

function incidentOf(
  session: Session,
  anomaly: FoundAnomaly,
  { before, until }: { before: Anomaly | undefined; until: Date | undefined },
  now: Date,
): Anomaly {
  const { _id: session_id, org_id, user_id } = session;
  return {
    _id: incidentKey(session_id, anomaly),
    org_id,
    user_id,
    session_id,
    ...anomaly,
    ...stateOf(before, until),
    reports: (before?.reports ?? 0) + 1,
    detected_at: before?.detected_at ?? now,
    updated_at: now,
  };
}

/** The state of an incident that is reported: what was acknowledged stays so, unless it is expected by now. */
function stateOf(
  before: Anomaly | undefined,
  until: Date | undefined,
): Pick<Anomaly, 'state' | 'acknowledged_by' | 'expected_until'> {
  if (until) return { state: 'expected', expected_until: until };
  const { state, acknowledged_by } = before ?? {};
  if (state !== 'acknowledged' || acknowledged_by === undefined) return {};
  return { state, acknowledged_by };
}

function eventOf(incident: Anomaly, { project_id, started_at }: Session): NewEvent {
  const { _id, org_id, session_id, user_id, reports, updated_at: ts } = incident;
  const { anomaly_type, baseline_avg, observed, deviation_pct } = incident;
  const data = { anomaly_type, user_id, baseline_avg, observed, deviation_pct, session_id };
  const words = {
    // An hour that ran away is measured in dollars where its tokens are below the limit.
    metric: baseline_avg === RUNAWAY.usd ? 'cost_usd' : 'tokens',
    session: { project_id, started_at: isoTime(started_at.getTime()) },
  };
  const concerns = { people: [user_id], projects: [project_id] };
  const is_muted = incident.state === 'expected';
  return { type: 'anomaly.detected', cause: [_id, reports], org_id, ts, concerns, is_muted, data, words };
}

/** Calls of a session that are read for what it mostly did. */
const MOST_CALLS = 10_000;

/** Adds what messages say beside the data, also the tool of at least half of the session's calls. */
async function inWords(
  ctx: Context,
  session: Session,
  raised: readonly NewEvent[],
  { webhooks, transaction }: { webhooks: readonly Subscriber[]; transaction: ClientSession },
): Promise<readonly NewEvent[]> {
  const isRead = areTold(raised, webhooks) && session.signal_count <= MOST_CALLS;
  const tool = isRead ? await mainTool(ctx, session, transaction) : null;
  const cause = tool && { user_id: session.user_id, session: tool };
  const caused = raised.map((event) => ({
    ...event,
    words: { ...event.words, ...(cause ? { cause } : {}) },
  }));
  return withWords(ctx, caused, webhooks, transaction);
}

async function mainTool(
  ctx: Context,
  { _id: session_id, org_id }: Session,
  transaction: ClientSession,
): Promise<{ calls: number; tool: string } | null> {
  const tools = await signalRows(ctx)
    .aggregate<{ _id: string | null; calls: number }>(
      [
        { $match: { session_id, org_id, type: 'call', voided: null } },
        { $group: { _id: { $ifNull: ['$tool_name', null] }, calls: { $sum: 1 } } },
      ],
      { session: transaction },
    )
    .toArray();
  const all = tools.reduce((sum, { calls }) => sum + calls, 0);
  const most = tools.find(({ _id, calls }) => _id !== null && 2 * calls >= all);
  return most?._id ? { calls: most.calls, tool: most._id } : null;
}
