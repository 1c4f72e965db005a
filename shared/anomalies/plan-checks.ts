import { joinPlans, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { raiseDue, setDue } from '../platform/due/plan-due.ts';
import type { Session } from '../sessions/model.ts';
import { hasEnded, type SessionChange } from '../sessions/plan-sessions.ts';
import { isWorthALook, type Totals } from './detect.ts';
import { checkSessionJob } from './jobs.ts';

/** How long after a look a running session is looked at again. Milliseconds. */
export const CHECK_EVERY_MS = 60_000;

/**
 * The plan that asks for a look at sessions that gained signals or ended, in the transaction that writes them. Most are
 * too small for any rule. A session that has ended is looked at now.
 */
export function planChecks(ctx: Context, changes: readonly SessionChange[]): Plan {
  const nowMs = ctx.clock.now();
  const worthwhile = changes.filter(({ after }) => isWorthALook(totalsOf(after)));
  return joinPlans(
    ...worthwhile.map((change) => {
      const { _id: key, org_id: orgId } = change.after;
      return hasEnded(change)
        ? setDue(checkSessionJob, { key, orgId, dueMs: nowMs })
        : raiseDue(checkSessionJob, { key, orgId, dueMs: nextCheckMs(ctx, change.after, nowMs) });
    }),
  );
}

/** When a running session may be looked at next (epoch ms): now, or a minute after the last look. */
export function nextCheckMs(ctx: Context, session: Pick<Session, 'checked_at'>, nowMs: number): number {
  const gapMs = CHECK_EVERY_MS / ctx.config.timeScale;
  return Math.max(nowMs, session.checked_at ? session.checked_at.getTime() + gapMs : 0);
}

/** What a session amounts to. */
export function totalsOf(session: Session): Totals {
  return {
    tokens: session.tokens_in + session.tokens_out,
    cost_nusd: session.cost_nusd,
    signals: session.signal_count,
    errors: session.error_count,
  };
}
