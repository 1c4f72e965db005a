import type { ClientSession } from 'mongoose';
import { markForCheck, wakeChecks } from '../anomalies/mark-for-check.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { recordEvents, sessionEnded } from '../events/record-events.ts';
import { inTransaction, raw } from '../mongo.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { endByTimeout, isPastTimeout } from './assign.ts';
import type { Session } from './model.ts';
import { writeTimers } from './timers.ts';

/** What looking at a session's timer found. Times are epoch milliseconds. */
export type TimerVerdict = { ended: boolean } | { notBeforeMs: number };

/**
 * Ends a session whose silence has lasted, together with its `session.ended`; otherwise says when to look again.
 * Repeating it changes nothing.
 */
export async function endIfSilent(ctx: Context, sessionId: string): Promise<TimerVerdict> {
  const endings: Ending[] = [];
  const verdict = await inTransaction(ctx.db, async (transaction): Promise<TimerVerdict> => {
    endings.length = 0;
    const session = await ctx.db.sessions.findById(sessionId).session(transaction).lean<Session>();
    if (session?.state !== 'open') return { ended: false };
    const organization = await readOrganization(ctx, session.org_id, transaction);
    const timeoutMs = organization.session_timeout * 1_000;
    if (!isPastTimeout(session, timeoutMs, ctx.clock.now())) {
      const notBeforeMs = session.last_activity_at.getTime() + timeoutMs + 1;
      await writeTimers(ctx, [{ session, dueMs: notBeforeMs }], transaction);
      return { notBeforeMs };
    }
    endings.push({ before: { ...session }, after: session });
    endByTimeout(session);
    await writeEnds(ctx, endings, transaction);
    return { ended: true };
  });
  wakeChecks(ctx, endings);
  return verdict;
}

/** Ends a session now, by hand. Idempotent. Throws `not_found` for another organization's or user's session. */
export async function closeSession(
  ctx: Context,
  owner: { orgId: string; userId: string | null },
  sessionId: string,
): Promise<Session> {
  const endings: Ending[] = [];
  const ended = await inTransaction(ctx.db, async (transaction) => {
    endings.length = 0;
    const session = await ctx.db.sessions.findById(sessionId).session(transaction).lean<Session>();
    if (session?.org_id !== owner.orgId || (owner.userId !== null && session.user_id !== owner.userId)) {
      throw new DomainError('not_found', 'There is no such session.');
    }
    if (session.state === 'ended') return session;
    const closedAt = Math.max(ctx.clock.now(), session.last_activity_at.getTime());
    const closed: Session = {
      ...session,
      state: 'ended',
      end_reason: 'closed',
      ended_at: new Date(closedAt),
    };
    endings.push({ before: session, after: closed });
    await writeEnds(ctx, endings, transaction);
    return closed;
  });
  wakeChecks(ctx, endings);
  return ended;
}

interface Ending {
  before: Session;
  after: Session;
}

async function writeEnds(ctx: Context, endings: Ending[], transaction: ClientSession): Promise<void> {
  await markForCheck(ctx, endings, transaction);
  for (const { after } of endings) {
    await raw(ctx.db.sessions).replaceOne({ _id: after._id }, after, { session: transaction });
    await writeTimers(ctx, [{ session: after, dueMs: null }], transaction);
    await recordEvents(ctx, [sessionEnded(after)], transaction);
  }
}

/** How long a due timer may be late before the sweeper takes it for lost. */
const GRACE_MS = 2_000;
const SWEEP_LIMIT = 1_000;

/** Wakes every session that is due without having ended: its job was lost with Redis, or is late. */
export async function sweepSilentSessions(ctx: Context): Promise<number> {
  const due = await ctx.db.sessionTimers
    .find({ due_at: { $lte: new Date(ctx.clock.now() - GRACE_MS) } })
    .sort({ due_at: 1 })
    .limit(SWEEP_LIMIT)
    .lean();
  const wakeUps = due.map(({ session_id }) => ({ id: session_id, job: { session_id }, delayMs: 0 }));
  ctx.queues.wake('close-session', wakeUps);
  return due.length;
}
