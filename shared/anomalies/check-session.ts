import type { ClientSession } from 'mongoose';
import { dateAt } from '../clock.ts';
import type { Context } from '../context.ts';
import { recordEvents } from '../events/record-events.ts';
import { derivedId } from '../ids.ts';
import { inTransaction, raw } from '../mongo.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import type { Session } from '../sessions/model.ts';
import { isDuplicateKey } from '../errors.ts';
import { readBaseline, readBusiestHour } from './baseline.ts';
import { detectAnomalies, isWorthReporting, mayHaveRunAway, type Verdict } from './detect.ts';
import { nextCheck, totalsOf } from './mark-for-check.ts';
import type { Anomaly } from './model.ts';

/** What looking at a session's mark found. Times are epoch milliseconds. */
export type CheckVerdict = { reported: number } | { notBeforeMs: number };

/**
 * Looks for anomalies in a session that is marked for it, and reports what is new: one incident per type and session,
 * again only when what was observed has doubled. Repeating it changes nothing.
 */
export async function checkSession(ctx: Context, sessionId: string): Promise<CheckVerdict> {
  const session = await ctx.db.sessions.findById(sessionId).lean<Session>();
  const dueAt = session?.check_due_at;
  if (!session || !dueAt) return { reported: 0 };
  if (dueAt.getTime() > ctx.clock.now()) return { notBeforeMs: dueAt.getTime() };
  const verdicts = await look(ctx, session);
  const reported = await reportAll(ctx, session, verdicts);
  const nextMs = await unmark(ctx, session);
  return nextMs === null ? { reported } : { notBeforeMs: nextMs };
}

async function look(ctx: Context, session: Session): Promise<Verdict[]> {
  const organization = await readOrganization(ctx, session.org_id);
  const totals = totalsOf(session);
  const baseline = await readBaseline(ctx, session, organization.session_timeout * 1_000);
  const hour = mayHaveRunAway(totals) ? await readBusiestHour(ctx, session._id) : null;
  return detectAnomalies(totals, baseline, hour);
}

const ATTEMPTS = 3;

async function reportAll(ctx: Context, session: Session, verdicts: readonly Verdict[]): Promise<number> {
  if (verdicts.length === 0) return 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(ctx.db, async (transaction) => {
        let reported = 0;
        for (const verdict of verdicts)
          reported += Number(await report(ctx, session, verdict, transaction));
        return reported;
      });
    } catch (error) {
      // Another worker has reported the same at this moment.
      if (!isDuplicateKey(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The incident and its event, or neither when it was reported already. */
async function report(
  ctx: Context,
  session: Session,
  verdict: Verdict,
  transaction: ClientSession,
): Promise<boolean> {
  const { _id: session_id, org_id, user_id } = session;
  const id = derivedId('anm', verdict.anomaly_type, session_id);
  const known = await ctx.db.anomalies.findById(id).session(transaction).lean<Anomaly>();
  if (!isWorthReporting(verdict.observed, known?.observed ?? null)) return false;
  const now = dateAt(ctx.clock.now());
  const incident: Anomaly = {
    _id: id,
    org_id,
    user_id,
    session_id,
    ...verdict,
    reports: (known?.reports ?? 0) + 1,
    detected_at: known?.detected_at ?? now,
    updated_at: now,
  };
  if (known) await raw(ctx.db.anomalies).replaceOne({ _id: id }, incident, { session: transaction });
  else await raw(ctx.db.anomalies).insertOne(incident, { session: transaction });
  const { anomaly_type, baseline_avg, observed, deviation_pct } = verdict;
  const data = { anomaly_type, user_id, baseline_avg, observed, deviation_pct, session_id };
  const cause = [id, incident.reports];
  await recordEvents(ctx, [{ type: 'anomaly.detected', cause, org_id, ts: now, data }], transaction);
  return true;
}

/**
 * Compare-and-set: a session that has changed since it was read keeps a mark, for a minute later or its end. Returns
 * when to look again, in epoch milliseconds.
 */
async function unmark(ctx: Context, session: Session): Promise<number | null> {
  const nowMs = ctx.clock.now();
  const checked_at = dateAt(nowMs);
  const isSame = {
    $and: [
      { $eq: ['$signal_count', session.signal_count] },
      { $eq: ['$state', session.state] },
      { $eq: ['$check_due_at', session.check_due_at] },
    ],
  };
  // One that has ended meanwhile was marked for now, and has a job of its own.
  const later = { $max: ['$check_due_at', nextCheck(ctx, { checked_at }, nowMs)] };
  const kept = { $cond: [{ $eq: ['$state', session.state] }, later, '$check_due_at'] };
  await raw(ctx.db.sessions).updateOne({ _id: session._id }, [
    { $set: { checked_at, check_due_at: { $cond: [isSame, '$$REMOVE', kept] } } },
  ]);
  const left = await ctx.db.sessions.findById(session._id, { check_due_at: 1 }).lean();
  return left?.check_due_at?.getTime() ?? null;
}

/** How long a due check may be late before the sweeper takes it for lost. */
const GRACE_MS = 2_000;
const SWEEP_LIMIT = 1_000;

/** Wakes every check that is due: its job was lost with Redis, or is late. */
export async function sweepDueChecks(ctx: Context): Promise<number> {
  const due = await ctx.db.sessions
    .find({ check_due_at: { $lte: dateAt(ctx.clock.now() - GRACE_MS) } }, { check_due_at: 1 })
    .limit(SWEEP_LIMIT)
    .lean();
  ctx.queues.wake(
    'detect-anomalies',
    due.map(({ _id, check_due_at }) => ({
      id: `${_id}-${check_due_at?.getTime() ?? 0}`,
      job: { session_id: _id },
      delayMs: 0,
    })),
  );
  return due.length;
}
