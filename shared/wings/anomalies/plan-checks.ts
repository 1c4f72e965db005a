import type { ClientSession } from 'mongoose';
import type { Session, SessionChange } from '../../core/calls/sessions/model.ts';
import { hasEnded } from '../../core/calls/sessions/plan-sessions.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { joinPlans, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { raiseDue, setDue } from '../../platform/due/plan-due.ts';
import { updateRow, type Write } from '../../platform/mongo/writes.ts';
import { mayHaveRunAway, shouldCheck, type Totals } from './detect.ts';
import { checkSessionJob } from './jobs.ts';
import { anomalyRows } from './model.ts';

/** Time after which a running session is checked again. Milliseconds. */
export const CHECK_EVERY_MS = 60_000;

/**
 * The plan that schedules checks of sessions that gained signals or ended, in the transaction that writes them. Most are
 * too small for any rule. A session that has ended is checked now.
 */
export function planChecks(ctx: Context, changes: readonly SessionChange[]): Plan {
  const nowMs = ctx.clock.now();
  const worthwhile = changes.filter(({ after }) => shouldCheck(totalsOf(after)));
  return joinPlans(
    ...worthwhile.map((change) => {
      const { _id: key, org_id: orgId } = change.after;
      return hasEnded(change)
        ? setDue(checkSessionJob, { key, orgId, dueMs: nowMs })
        : raiseDue(checkSessionJob, { key, orgId, dueMs: nextCheckMs(ctx, change.after, nowMs) });
    }),
  );
}

/** Reading so many takes a fifth of a second. */
const SIGNALS_PER_MINUTE = 10_000;

/**
 * The next check of a running session (epoch ms): now, or a minute after the last one. A session that may have run away is
 * read whole each time, so it waits a minute for every 10,000 signals: however long it runs, its checks cost the same.
 */
export function nextCheckMs(ctx: Context, session: Session, nowMs: number): number {
  const reads = mayHaveRunAway(totalsOf(session)) ? session.signal_count / SIGNALS_PER_MINUTE : 0;
  const gapMs = (CHECK_EVERY_MS / ctx.config.timeScale) * Math.max(1, reads);
  return Math.max(nowMs, session.checked_at ? session.checked_at.getTime() + gapMs : 0);
}

export function totalsOf(session: Session): Totals {
  return {
    tokens: session.tokens_in + session.tokens_out,
    cost_nusd: session.cost_nusd,
    signals: session.signal_count,
    errors: session.error_count,
  };
}

/** The writes that note on the anomalies of a session that signals below their figures were voided. */
export async function planCorrections(
  ctx: Context,
  { _id: session_id, org_id }: Pick<Session, '_id' | 'org_id'>,
  transaction: ClientSession,
): Promise<Write[]> {
  const found = await anomalyRows(ctx).find({ org_id, session_id }, { session: transaction }).toArray();
  const corrected = { $set: { corrected_at: dateAt(ctx.clock.now()) } };
  return found.map(({ _id }) => updateRow(anomalyRows, { _id, org_id }, corrected));
}
