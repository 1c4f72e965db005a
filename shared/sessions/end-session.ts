import type { ClientSession } from 'mongoose';
import { markForCheck } from '../anomalies/mark-for-check.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { recordEvents } from '../webhooks/deliveries/record-events.ts';
import { endByTimeout, isPastTimeout } from './assign.ts';
import { sessionEnded } from './events.ts';
import { closeSessionJob } from './jobs.ts';
import { type Session, sessionRows, sessionTimerRows } from './model.ts';
import { writeTimers } from './timers.ts';

/** What looking at a session's timer found. Times are epoch milliseconds. */
export type TimerVerdict = { ended: boolean } | { notBeforeMs: number };

/**
 * Ends a session whose silence has lasted, together with its `session.ended`; otherwise says when to look again.
 * Repeating it changes nothing.
 */
export async function endIfSilent(ctx: Context, sessionId: string): Promise<TimerVerdict> {
  return inTransaction(ctx.db, async (transaction): Promise<TimerVerdict> => {
    const session = await sessionRows(ctx).findOne({ _id: sessionId }, { session: transaction });
    if (session?.state !== 'open') return { ended: false };
    const organization = await readOrganization(ctx, session.org_id, transaction);
    const timeoutMs = organization.session_timeout * 1_000;
    if (!isPastTimeout(session, timeoutMs, ctx.clock.now())) {
      const notBeforeMs = session.last_activity_at.getTime() + timeoutMs + 1;
      await writeTimers(ctx, [{ session, dueMs: notBeforeMs }], transaction);
      return { notBeforeMs };
    }
    const before = { ...session };
    endByTimeout(session);
    await writeEnd(ctx, { before, after: session }, transaction);
    return { ended: true };
  });
}

/** Ends a session now, by hand. Idempotent. Throws `not_found` for another organization's or user's session. */
export async function closeSession(
  ctx: Context,
  owner: { orgId: string; userId: string | null },
  sessionId: string,
): Promise<Session> {
  return inTransaction(ctx.db, async (transaction) => {
    const session = await sessionRows(ctx).findOne({ _id: sessionId }, { session: transaction });
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
    await writeEnd(ctx, { before: session, after: closed }, transaction);
    return closed;
  });
}

interface Ending {
  before: Session;
  after: Session;
}

async function writeEnd(ctx: Context, ending: Ending, transaction: ClientSession): Promise<void> {
  const { after } = ending;
  await markForCheck(ctx, [ending], transaction);
  await sessionRows(ctx).replaceOne({ _id: after._id }, after, { session: transaction });
  await writeTimers(ctx, [{ session: after, dueMs: null }], transaction);
  await recordEvents(ctx, [sessionEnded(after)], transaction);
}

/** How long a due timer may be late before the sweeper takes it for lost. */
const GRACE_MS = 2_000;
const SWEEP_LIMIT = 1_000;

/** Wakes every session that is due without having ended: its job was lost with Redis, or is late. */
export async function sweepSilentSessions(ctx: Context): Promise<number> {
  const due = await sessionTimerRows(ctx)
    .find({ due_at: { $lte: new Date(ctx.clock.now() - GRACE_MS) } })
    .sort({ due_at: 1 })
    .limit(SWEEP_LIMIT)
    .toArray();
  const wakeUps = due.map(({ session_id }) => ({ id: session_id, job: { session_id }, delayMs: 0 }));
  ctx.queues.wake(closeSessionJob, wakeUps);
  return due.length;
}
