import type { ClientSession } from 'mongoose';
import { readOrganization } from '../organizations/read-organization.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Batching } from '../platform/context/batcher.ts';
import { commitPlan, type Decision, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type DueRow, dueId, dueRows } from '../platform/due/model.ts';
import { clearDue, setDue } from '../platform/due/plan-due.ts';
import { moveToOtherShard } from '../platform/mongo/counter-shards.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import { onShard } from '../platform/mongo/on-shard.ts';
import type { Write } from '../platform/mongo/writes.ts';
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
  const due = await dueRows(ctx).findOne({ _id: dueId(endSessionJob, key) }, { projection: { org_id: 1 } });
  if (!due) return { ended: false };
  return ctx.batcher.submit(`silent sessions ${due.org_id}`, key, endBatching(ctx, due.org_id, decideSilent));
}

/** A session that is to be closed, and whose it must be; null: any user's. */
interface Close {
  sessionId: string;
  userId: string | null;
}

/**
 * Ends a session now, by hand; one whose silence has lasted ends as its timeout would have ended it. Idempotent. Throws
 * `not_found` for another organization's or user's session.
 */
export async function closeSession(
  ctx: Context,
  { orgId, userId }: { orgId: string; userId: string | null },
  sessionId: string,
): Promise<Session> {
  const batching = endBatching(ctx, orgId, decideClosed);
  const session = await ctx.batcher.submit(`closed sessions ${orgId}`, { sessionId, userId }, batching);
  if (!session) throw new DomainError('not_found', 'There is no such session.');
  return session;
}

/** Ends of one transaction. */
const ENDS_AT_ONCE = 100;

/** Ends sessions of one organization: one answer for each that was asked for, in order. */
type Decide<Asked, Answer> = (
  ctx: Context,
  orgId: string,
  asked: readonly Asked[],
  transaction: ClientSession,
) => Promise<Decision<Answer[]>>;

/** One transaction per organization at a time, because each of them writes the organization's version (ADR 0160). */
function endBatching<Asked, Answer>(
  ctx: Context,
  orgId: string,
  decide: Decide<Asked, Answer>,
): Batching<Asked, Answer> {
  return {
    maxWeight: ENDS_AT_ONCE,
    weigh: () => 1,
    run: (asked) => {
      let attempts = 0;
      const decideAnew = (transaction: ClientSession) => {
        attempts += 1;
        if (attempts > 1) moveToOtherShard();
        return decide(ctx, orgId, asked, transaction);
      };
      return commitPlan(ctx, decideAnew, { onDuplicateKey: 'retry' });
    },
  };
}

async function decideSilent(
  ctx: Context,
  orgId: string,
  keys: readonly string[],
  transaction: ClientSession,
): Promise<Decision<EndResult[]>> {
  const ids = keys.map((key) => dueId(endSessionJob, key));
  const due = (await findByIds(dueRows(ctx), ids, transaction)) as (DueRow & OpenSession)[];
  const sessionIds = due.map(({ session_id }) => session_id);
  const sessions = await findSessions(ctx, orgId, sessionIds, transaction);
  const timeoutMs = timeoutMsOf(await readOrganization(ctx, orgId, transaction));
  const results = new Map<string, EndResult>();
  const writes: Write[] = [];
  const changes: SessionChange[] = [];
  for (const { key, session_id } of due) {
    const session = sessions.get(session_id);
    if (session?.state !== 'open') {
      writes.push(clearDue(endSessionJob, key));
    } else if (isPastTimeout(session, timeoutMs, ctx.clock.now())) {
      changes.push(endedBy(session, endByTimeout));
      results.set(key, { ended: true });
    } else {
      const notBeforeMs = silenceEndsMs(session, timeoutMs);
      const details: OpenSession = { session_id };
      // The job that runs now looks again, or the sweep adds another when the time is near.
      writes.push(...setDue(endSessionJob, { key, orgId, dueMs: notBeforeMs, details }).writes);
      results.set(key, { notBeforeMs });
    }
  }
  const ends = await planEnds(ctx, orgId, { changes, timeoutMs }, transaction);
  const plan = joinPlans({ writes, wakeUps: [] }, ends);
  return { ...plan, result: keys.map((key) => results.get(key) ?? { ended: false }) };
}

async function decideClosed(
  ctx: Context,
  orgId: string,
  asked: readonly Close[],
  transaction: ClientSession,
): Promise<Decision<(Session | null)[]>> {
  const sessionIds = asked.map(({ sessionId }) => sessionId);
  const sessions = await findSessions(ctx, orgId, sessionIds, transaction);
  const timeoutMs = timeoutMsOf(await readOrganization(ctx, orgId, transaction));
  const nowMs = ctx.clock.now();
  const changes: SessionChange[] = [];
  const result = asked.map(({ sessionId, userId }) => {
    const session = sessions.get(sessionId);
    if (!session || (userId !== null && session.user_id !== userId)) return null;
    if (session.state === 'ended') return session;
    const isPast = isPastTimeout(session, timeoutMs, nowMs);
    const change = endedBy(session, isPast ? endByTimeout : (open) => endByHand(open, nowMs));
    changes.push(change);
    // It may be asked for a second time in the same batch.
    sessions.set(sessionId, change.after);
    return change.after;
  });
  return { ...(await planEnds(ctx, orgId, { changes, timeoutMs }, transaction)), result };
}

async function findSessions(
  ctx: Context,
  orgId: string,
  ids: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, Session>> {
  const named = onShard(ctx, { _id: { $in: [...new Set(ids)] } }, { org_id: orgId });
  const found = await sessionRows(ctx).find(named, { session: transaction }).toArray();
  const own = found.filter(({ org_id }) => org_id === orgId);
  return new Map(own.map((session) => [session._id, session]));
}

function endedBy(before: Session, end: (session: Session) => void): SessionChange {
  const after = structuredClone(before);
  end(after);
  return { before, after };
}

function endByHand(session: Session, nowMs: number): void {
  session.state = 'ended';
  session.end_reason = 'closed';
  session.ended_at = dateAt(Math.max(nowMs, session.last_activity_at.getTime()));
}

async function planEnds(
  ctx: Context,
  orgId: string,
  { changes, timeoutMs }: { changes: readonly SessionChange[]; timeoutMs: number },
  transaction: ClientSession,
): Promise<Plan> {
  if (changes.length === 0) return NO_PLAN;
  const subscribers = await findSubscribers(ctx, orgId, transaction);
  return planSessionChanges(ctx, changes, { timeoutMs, subscribers });
}
