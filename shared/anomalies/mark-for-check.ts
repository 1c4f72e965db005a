import type { Context } from '../context.ts';
import type { Session } from '../sessions/model.ts';
import { isWorthALook, type Totals } from './detect.ts';

/** A running session is looked at no more often (design 5). Milliseconds. */
export const CHECK_EVERY_MS = 60_000;

interface Change {
  before: Session | null;
  after: Session;
}

/** Marks sessions that gained signals or ended, in place, before they are written: the mark is the intent to look. */
export function markForCheck(ctx: Context, changed: readonly Change[]): void {
  const nowMs = ctx.clock.now();
  for (const { before, after } of changed) {
    if (!isWorthALook(totalsOf(after))) continue;
    const hasEnded = after.state === 'ended' && before?.state !== 'ended';
    after.check_due_at = hasEnded ? new Date(nowMs) : (after.check_due_at ?? nextCheck(ctx, after, nowMs));
  }
}

/** Now, or a minute after the last look. */
export function nextCheck(ctx: Context, session: Pick<Session, 'checked_at'>, nowMs: number): Date {
  const gapMs = CHECK_EVERY_MS / ctx.config.timeScale;
  return new Date(Math.max(nowMs, session.checked_at ? session.checked_at.getTime() + gapMs : 0));
}

/** Wakes a check for every mark that is new, after the commit. A due time has one job. */
export function wakeChecks(ctx: Context, changed: readonly Change[]): void {
  const nowMs = ctx.clock.now();
  const marked = changed.flatMap(({ before, after: { _id, check_due_at: dueAt } }) =>
    dueAt && dueAt.getTime() !== before?.check_due_at?.getTime() ? [{ sessionId: _id, dueAt }] : [],
  );
  ctx.queues.wake(
    'detect-anomalies',
    marked.map(({ sessionId, dueAt }) => ({
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
