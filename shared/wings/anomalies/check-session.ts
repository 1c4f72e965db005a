import { readOrganization } from '../../core/accounts/organizations/read-organization.ts';
import { timeoutMsOf } from '../../core/calls/sessions/assign.ts';
import { matchingSessions } from '../../core/calls/sessions/match-sessions.ts';
import { type Session, sessionRows } from '../../core/calls/sessions/model.ts';
import { streamSignals } from '../../core/calls/sessions/read-session.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { type KeysetQuery, paginate } from '../../platform/basics/paginate.ts';
import { commitPlan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { DueRow } from '../../platform/due/model.ts';
import { clearDue, readDue, setDue } from '../../platform/due/plan-due.ts';
import { firstSpan } from '../../platform/mongo/embedded-ranges.ts';
import { updateRow } from '../../platform/mongo/writes.ts';
import {
  BASELINE,
  busiestHour,
  detectAnomalies,
  type FoundAnomaly,
  mayHaveRunAway,
  type Totals,
} from './detect.ts';
import { checkSessionJob } from './jobs.ts';
import { nextCheckMs, totalsOf } from './plan-checks.ts';
import { reportAnomalies } from './report-anomalies.ts';

/** The result of a check: how many anomalies it reported, or when to check again (epoch ms). */
export type CheckResult = { reported: number } | { notBeforeMs: number };

/**
 * Checks a session that is due for it, and reports new anomalies: one incident per type and session, again only when the
 * observed value has doubled. Repeating it changes nothing.
 */
export async function checkSession(ctx: Context, sessionId: string): Promise<CheckResult> {
  const due = await readDue(ctx, checkSessionJob, sessionId);
  if (!due) return { reported: 0 };
  if (due.due_at.getTime() > ctx.clock.now()) return { notBeforeMs: due.due_at.getTime() };
  const session = await sessionRows(ctx).findOne({ _id: sessionId, org_id: due.org_id });
  const found = session ? await findAnomalies(ctx, session) : [];
  const reported = session ? await reportAnomalies(ctx, session, found) : 0;
  const nextMs = await finishCheck(ctx, due, session);
  return nextMs === null ? { reported } : { notBeforeMs: nextMs };
}

async function findAnomalies(ctx: Context, session: Session): Promise<FoundAnomaly[]> {
  const organization = await readOrganization(ctx, session.org_id);
  const totals = totalsOf(session);
  const baseline = await readBaseline(ctx, session, timeoutMsOf(organization));
  const hour = mayHaveRunAway(totals) ? await busiestHour(streamSignals(ctx, session)) : null;
  return detectAnomalies(totals, baseline, hour);
}

/**
 * Clears the due row. A session that has changed since it was read stays due, a minute later or, when it has ended, now.
 * Returns when to check again, in epoch milliseconds.
 */
async function finishCheck(
  ctx: Context,
  { key: sessionId, org_id }: DueRow,
  seen: Session | null,
): Promise<number | null> {
  return commitPlan(ctx, async (transaction) => {
    const named = { _id: sessionId, org_id };
    const session = await sessionRows(ctx).findOne(named, { session: transaction });
    const cleared = clearDue(checkSessionJob, sessionId);
    if (!session || !seen) return { writes: [cleared], result: null };
    const nowMs = ctx.clock.now();
    const checked = updateRow(sessionRows, named, { $set: { checked_at: dateAt(nowMs) } });
    const nextMs = nextCheckAfterMs(ctx, session, seen, nowMs);
    if (nextMs === null) return { writes: [cleared, checked], result: null };
    const moved = setDue(checkSessionJob, { key: sessionId, orgId: session.org_id, dueMs: nextMs });
    // The job that runs now checks again.
    return { writes: [...moved.writes, checked], result: nextMs };
  });
}

/** The next check of a session that was just checked (epoch ms); null while it has not changed. */
function nextCheckAfterMs(ctx: Context, session: Session, seen: Session, nowMs: number): number | null {
  if (session.state !== seen.state) return nowMs;
  if (session.signal_count === seen.signal_count) return null;
  return nextCheckMs(ctx, { ...session, checked_at: dateAt(nowMs) }, nowMs);
}

/**
 * The last sessions of a user that had finished in event time before `session` began, whether or not a job has ended
 * them yet, newest first.
 */
export async function readBaseline(ctx: Context, session: Session, timeoutMs: number): Promise<Totals[]> {
  const { org_id, user_id } = session;
  const beganMs = session.started_at.getTime();
  const hadFinished = { last_activity_at: { $lt: dateAt(beganMs - timeoutMs) } };
  const find = ({ filter, sort, limit }: KeysetQuery) =>
    sessionRows(ctx)
      .aggregate<Session>([
        ...matchingSessions(org_id, { user_id }, filter),
        { $match: hadFinished },
        { $sort: sort },
        { $limit: limit },
      ])
      .toArray();
  const range = { fromMs: beganMs - BASELINE.days * DAY_MS, toMs: beganMs };
  const { rows } = await paginate<Session>(find, 'started_at', {
    ...range,
    ...firstSpan(ctx.db, range),
    order: 'desc',
    after: null,
    limit: BASELINE.sessions,
  });
  return rows.map(totalsOf);
}
