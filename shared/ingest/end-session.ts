import type { ClientSession } from 'mongoose';
import { readOrganization } from '../organizations/read-organization.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { commitPlan, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { clearDue, readDue, setDue } from '../platform/due/plan-due.ts';
import { onShard } from '../platform/mongo/on-shard.ts';
import { endByTimeout, isPastTimeout } from '../sessions/assign.ts';
import { endSessionJob, type OpenSession } from '../sessions/jobs.ts';
import { type Session, sessionRows } from '../sessions/model.ts';
import type { SessionChange } from '../sessions/plan-sessions.ts';
import { silenceEndsMs, timeoutMsOf } from '../sessions/silence.ts';
import { findSubscribers } from '../webhooks/endpoints/find-subscribers.ts';
import { planSessionChanges } from './plan-session-changes.ts';

/** What came of a look at an open session: whether it has ended, or when to look again (epoch ms). */
export type EndResult = { ended: boolean } | { notBeforeMs: number };

/**
 * Ends the open session of a key whose silence has lasted, together with its `session.ended`; otherwise says when to
 * look again. Repeating it changes nothing.
 */
export async function endIfSilent(ctx: Context, key: string): Promise<EndResult> {
  return commitPlan<EndResult>(ctx, async (transaction) => {
    const due = await readDue<OpenSession>(ctx, endSessionJob, key, transaction);
    if (!due) return { writes: [], wakeUps: [], result: { ended: false } };
    const session = await sessionRows(ctx).findOne(
      onShard(ctx, { _id: due.session_id }, { org_id: due.org_id }),
      { session: transaction },
    );
    if (session?.state !== 'open')
      return { writes: [clearDue(endSessionJob, key)], wakeUps: [], result: { ended: false } };
    const organization = await readOrganization(ctx, session.org_id, transaction);
    const timeoutMs = timeoutMsOf(organization);
    if (!isPastTimeout(session, timeoutMs, ctx.clock.now())) {
      const notBeforeMs = silenceEndsMs(session, timeoutMs);
      const details: OpenSession = { session_id: session._id };
      const moved = setDue(endSessionJob, { key, orgId: session.org_id, dueMs: notBeforeMs, details });
      // The job that runs now looks again, or the sweep adds another when the time is near.
      return { writes: moved.writes, wakeUps: [], result: { notBeforeMs } };
    }
    const after = structuredClone(session);
    endByTimeout(after);
    return {
      ...(await planEnd(ctx, { before: session, after }, timeoutMs, transaction)),
      result: { ended: true },
    };
  });
}

/**
 * Ends a session now, by hand; one whose silence has lasted ends as its timeout would have ended it. Idempotent. Throws
 * `not_found` for another organization's or user's session.
 */
export async function closeSession(
  ctx: Context,
  owner: { orgId: string; userId: string | null },
  sessionId: string,
): Promise<Session> {
  return commitPlan(ctx, async (transaction) => {
    const session = await sessionRows(ctx).findOne(
      onShard(ctx, { _id: sessionId }, { org_id: owner.orgId }),
      { session: transaction },
    );
    if (session?.org_id !== owner.orgId || (owner.userId !== null && session.user_id !== owner.userId)) {
      throw new DomainError('not_found', 'There is no such session.');
    }
    if (session.state === 'ended') return { writes: [], wakeUps: [], result: session };
    const timeoutMs = timeoutMsOf(await readOrganization(ctx, session.org_id, transaction));
    const after = structuredClone(session);
    if (isPastTimeout(session, timeoutMs, ctx.clock.now())) endByTimeout(after);
    else endByHand(after, ctx.clock.now());
    return { ...(await planEnd(ctx, { before: session, after }, timeoutMs, transaction)), result: after };
  });
}

function endByHand(session: Session, nowMs: number): void {
  session.state = 'ended';
  session.end_reason = 'closed';
  session.ended_at = dateAt(Math.max(nowMs, session.last_activity_at.getTime()));
}

async function planEnd(
  ctx: Context,
  ending: SessionChange,
  timeoutMs: number,
  transaction: ClientSession,
): Promise<Plan> {
  const subscribers = await findSubscribers(ctx, ending.after.org_id, transaction);
  return planSessionChanges(ctx, [ending], { timeoutMs, subscribers });
}
