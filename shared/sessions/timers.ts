import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';

import { type Session, sessionRows, sessionTimerRows } from './model.ts';

/** What becomes of a session's timer: due at `dueMs` (epoch ms), or gone with the session's end (null). */
export interface TimerChange {
  session: Pick<Session, '_id' | 'key' | 'org_id'>;
  dueMs: number | null;
}

/** Sets and clears timers in the transaction that opens and ends their sessions. */
export async function writeTimers(
  ctx: Context,
  changes: readonly TimerChange[],
  transaction: ClientSession,
): Promise<void> {
  if (changes.length === 0) return;
  const timers = sessionTimerRows(ctx);
  const keys = [...new Set(changes.map(({ session }) => session.key))];
  await timers.deleteMany({ _id: { $in: keys } }, { session: transaction });
  const set = changes.flatMap(({ session, dueMs }) =>
    dueMs === null
      ? []
      : [{ _id: session.key, session_id: session._id, org_id: session.org_id, due_at: new Date(dueMs) }],
  );
  if (set.length > 0) await timers.insertMany(set, { session: transaction });
}

/** Gives the open sessions of an organization the due time of another timeout; the sweeper finds what is due by it. */
export async function moveTimers(
  ctx: Context,
  orgId: string,
  timeoutMs: number,
  transaction: ClientSession,
): Promise<void> {
  const timers = await sessionTimerRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
  const ids = timers.map((timer) => timer.session_id);
  const sessions = await sessionRows(ctx)
    .find({ _id: { $in: ids } }, { session: transaction })
    .toArray();
  const changes = sessions.map((session) => ({
    session,
    dueMs: session.last_activity_at.getTime() + timeoutMs + 1,
  }));
  await writeTimers(ctx, changes, transaction);
}
