import { dateAt } from '../platform/basics/clock.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import { type KeysetQuery, paginate } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { matchingSessions } from '../sessions/match-sessions.ts';
import { type Session, sessionRows } from '../sessions/model.ts';
import { BASELINE, type Totals } from './detect.ts';
import { totalsOf } from './plan-checks.ts';

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
  const { rows } = await paginate<Session>(find, 'started_at', {
    order: 'desc',
    fromMs: beganMs - BASELINE.days * DAY_MS,
    toMs: beganMs,
    after: null,
    limit: BASELINE.sessions,
  });
  return rows.map(totalsOf);
}
