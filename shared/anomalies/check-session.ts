import type { ClientSession } from 'mongoose';
import { readOrganization } from '../organizations/read-organization.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { isDuplicateKey } from '../platform/basics/errors.ts';
import { derivedId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { type Session, sessionRows } from '../sessions/model.ts';
import { recordEvents } from '../webhooks/deliveries/record-events.ts';
import { readBaseline, readBusiestHour } from './baseline.ts';
import { detectAnomalies, isWorthReporting, mayHaveRunAway, type Verdict } from './detect.ts';
import { detectAnomaliesJob } from './jobs.ts';
import { nextCheck, totalsOf } from './mark-for-check.ts';
import { type Anomaly, anomalyRows, sessionCheckRows } from './model.ts';

/** What looking at a session's mark found. Times are epoch milliseconds. */
export type CheckVerdict = { reported: number } | { notBeforeMs: number };

/**
 * Looks for anomalies in a session that is marked for it, and reports what is new: one incident per type and session,
 * again only when what was observed has doubled. Repeating it changes nothing.
 */
export async function checkSession(ctx: Context, sessionId: string): Promise<CheckVerdict> {
  const session = await sessionRows(ctx).findOne({ _id: sessionId });
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
        for (const verdict of verdicts) reported += Number(await report(ctx, session, verdict, transaction));
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
  const known = await anomalyRows(ctx).findOne({ _id: id }, { session: transaction });
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
  if (known) await anomalyRows(ctx).replaceOne({ _id: id }, incident, { session: transaction });
  else await anomalyRows(ctx).insertOne(incident, { session: transaction });
  const { anomaly_type, baseline_avg, observed, deviation_pct } = verdict;
  const data = { anomaly_type, user_id, baseline_avg, observed, deviation_pct, session_id };
  const cause = [id, incident.reports];
  await recordEvents(ctx, [{ type: 'anomaly.detected', cause, org_id, ts: now, data }], transaction);
  return true;
}

/**
 * Takes the mark away; a session that has changed since it was read keeps one, for a minute later or, when it has
 * ended, for now. Returns when to look again, in epoch milliseconds.
 */
async function unmark(ctx: Context, seen: Session): Promise<number | null> {
  return inTransaction(ctx.db, async (transaction) => {
    const session = await sessionRows(ctx).findOne({ _id: seen._id }, { session: transaction });
    if (!session) return null;
    const checked_at = dateAt(ctx.clock.now());
    const dueAt = isUnchanged(session, seen) ? null : markAfter(ctx, session, seen, checked_at);
    const mark = dueAt ? { $set: { checked_at, check_due_at: dueAt } } : { $set: { checked_at }, ...NO_MARK };
    await sessionRows(ctx).updateOne({ _id: seen._id }, mark, { session: transaction });
    if (dueAt) {
      const set = { $set: { due_at: dueAt } };
      await sessionCheckRows(ctx).updateOne({ _id: seen._id }, set, {
        upsert: true,
        session: transaction,
      });
    } else {
      await sessionCheckRows(ctx).deleteOne({ _id: seen._id }, { session: transaction });
    }
    return dueAt?.getTime() ?? null;
  });
}

const NO_MARK = { $unset: { check_due_at: 1 } } as const;

function isUnchanged(session: Session, seen: Session): boolean {
  return session.signal_count === seen.signal_count && session.state === seen.state;
}

function markAfter(ctx: Context, session: Session, seen: Session, checked_at: Date): Date {
  return session.state === seen.state ? nextCheck(ctx, { checked_at }, checked_at.getTime()) : checked_at;
}

/** How long a due check may be late before the sweeper takes it for lost. */
const GRACE_MS = 2_000;
const SWEEP_LIMIT = 1_000;

/** Wakes every check that is due: its job was lost with Redis, or is late. */
export async function sweepDueChecks(ctx: Context): Promise<number> {
  const due = await sessionCheckRows(ctx)
    .find({ due_at: { $lte: dateAt(ctx.clock.now() - GRACE_MS) } })
    .sort({ due_at: 1 })
    .limit(SWEEP_LIMIT)
    .toArray();
  ctx.queues.wake(
    detectAnomaliesJob,
    due.map(({ _id, due_at }) => ({
      id: `${_id}-${due_at.getTime()}`,
      job: { session_id: _id },
      delayMs: 0,
    })),
  );
  return due.length;
}
