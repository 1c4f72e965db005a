import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import { afterCommit } from '../platform/mongo/transaction.ts';
import type { Session } from '../sessions/model.ts';
import { isWorthALook, type Totals } from './detect.ts';
import { detectAnomaliesJob } from './jobs.ts';
import { sessionCheckRows } from './model.ts';

/** A running session is looked at no more often (design 5). Milliseconds. */
export const CHECK_EVERY_MS = 60_000;

interface Change {
  before: Session | null;
  after: Session;
}

/**
 * Marks sessions that gained signals or ended, in place, before they are written in the same transaction: the mark is
 * the intent to look at them, and the commit wakes the checks. Most are too small for any rule.
 */
export async function markForCheck(
  ctx: Context,
  changed: readonly Change[],
  transaction: ClientSession,
): Promise<void> {
  const nowMs = ctx.clock.now();
  for (const { before, after } of changed) {
    if (!isWorthALook(totalsOf(after))) continue;
    const hasEnded = after.state === 'ended' && before?.state !== 'ended';
    after.check_due_at = hasEnded ? dateAt(nowMs) : (after.check_due_at ?? nextCheck(ctx, after, nowMs));
  }
  const marks = newMarks(changed);
  if (marks.length === 0) return;
  await sessionCheckRows(ctx).bulkWrite(
    marks.map(({ sessionId, dueAt }) => ({
      updateOne: { filter: { _id: sessionId }, update: { $set: { due_at: dueAt } }, upsert: true },
    })),
    { session: transaction },
  );
  afterCommit(transaction, () => wakeChecks(ctx, marks));
}

interface Mark {
  sessionId: string;
  dueAt: Date;
}

function newMarks(changed: readonly Change[]): Mark[] {
  return changed.flatMap(({ before, after: { _id, check_due_at: dueAt } }) =>
    dueAt && dueAt.getTime() !== before?.check_due_at?.getTime() ? [{ sessionId: _id, dueAt }] : [],
  );
}

/** Now, or a minute after the last look. */
export function nextCheck(ctx: Context, session: Pick<Session, 'checked_at'>, nowMs: number): Date {
  const gapMs = CHECK_EVERY_MS / ctx.config.timeScale;
  return dateAt(Math.max(nowMs, session.checked_at ? session.checked_at.getTime() + gapMs : 0));
}

/** A due time has one job. */
function wakeChecks(ctx: Context, marks: readonly Mark[]): void {
  const nowMs = ctx.clock.now();
  ctx.queues.wake(
    detectAnomaliesJob,
    marks.map(({ sessionId, dueAt }) => ({
      id: `${sessionId}-${dueAt.getTime()}`,
      job: { session_id: sessionId },
      delayMs: dueAt.getTime() - nowMs,
    })),
  );
}

export function totalsOf(session: Session): Totals {
  return {
    tokens: session.tokens_in + session.tokens_out,
    cost_nusd: session.cost_nusd,
    signals: session.signal_count,
    errors: session.error_count,
  };
}
