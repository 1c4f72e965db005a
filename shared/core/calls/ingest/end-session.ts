import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Batching } from '../../../platform/context/batcher.ts';
import { joinPlans } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type DueRow, dueId, dueRows } from '../../../platform/due/model.ts';
import { clearDue, setDue } from '../../../platform/due/plan-due.ts';
import { secondShard } from '../../../platform/mongo/counter-shards.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import type { Write } from '../../../platform/mongo/writes.ts';
import {
  commitByRules,
  guardedSubscribers,
  type OrganizationRules,
} from '../../limits/budgets/rules/rules.ts';
import { endByTimeout, isPastTimeout, silenceEndsMs, timeoutMsOf } from '../sessions/assign.ts';
import { endSessionJob, type OpenSession } from '../sessions/jobs.ts';
import { type Session, type SessionChange, sessionRows } from '../sessions/model.ts';
import { planSessionChanges } from './plan-batch.ts';

/** The result of a check of an open session: it has ended or is gone, or the time of the next check (epoch ms). */
export type EndResult = { ended: boolean } | { notBeforeMs: number };

/**
 * Ends the open session of a key whose silence has lasted, together with its `session.ended`; otherwise returns when to
 * check again. Repeating it changes nothing.
 */
export async function endIfSilent(ctx: Context, key: string): Promise<EndResult> {
  const due = await dueRows(ctx).findOne({ _id: dueId(endSessionJob, key) }, { projection: { org_id: 1 } });
  if (!due) return { ended: false };
  return ctx.batcher.submit(`silent sessions ${due.org_id}`, key, endBatching(ctx, due.org_id, decideSilent));
}

/** A session to close, and the user that it must belong to (null: any). */
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

/** Decides which sessions of one organization end, with one answer per request, in order. */
type Decide<Asked, Answer> = (
  ctx: Context,
  rules: OrganizationRules,
  asked: readonly Asked[],
  transaction: ClientSession,
) => Promise<{ changes: SessionChange[]; answers: Answer[]; writes?: Write[] }>;

/** One transaction per organization at a time, because each of them writes the organization's version (ADR 0160). */
function endBatching<Asked, Answer>(
  ctx: Context,
  orgId: string,
  decide: Decide<Asked, Answer>,
): Batching<Asked, Answer> {
  return {
    maxWeight: ENDS_AT_ONCE,
    weigh: () => 1,
    run: (asked) =>
      commitByRules(ctx, orgId, { shardOf: secondShard }, async ({ rules, shard }, transaction) => {
        const { changes, answers, writes = [] } = await decide(ctx, rules, asked, transaction);
        const timeoutMs = timeoutMsOf(rules.organization);
        const subscribers = guardedSubscribers(rules, shard);
        const ends = await planSessionChanges(ctx, changes, { timeoutMs, subscribers, transaction });
        return { ...joinPlans({ writes }, ...ends), result: answers };
      }),
  };
}

async function decideSilent(
  ctx: Context,
  { organization }: OrganizationRules,
  keys: readonly string[],
  transaction: ClientSession,
): ReturnType<Decide<string, EndResult>> {
  const orgId = organization._id;
  const timeoutMs = timeoutMsOf(organization);
  const ids = keys.map((key) => dueId(endSessionJob, key));
  const due = (await findByIds(dueRows(ctx), ids, transaction)) as (DueRow & OpenSession)[];
  const sessionIds = due.map(({ session_id }) => session_id);
  const sessions = await findSessions(ctx, orgId, sessionIds, transaction);
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
      // The job that runs now checks again, or the sweep adds another when the time is near.
      writes.push(...setDue(endSessionJob, { key, orgId, dueMs: notBeforeMs, details }).writes);
      results.set(key, { notBeforeMs });
    }
  }
  return { changes, writes, answers: keys.map((key) => results.get(key) ?? { ended: false }) };
}

async function decideClosed(
  ctx: Context,
  { organization }: OrganizationRules,
  asked: readonly Close[],
  transaction: ClientSession,
): ReturnType<Decide<Close, Session | null>> {
  const timeoutMs = timeoutMsOf(organization);
  const sessionIds = asked.map(({ sessionId }) => sessionId);
  const sessions = await findSessions(ctx, organization._id, sessionIds, transaction);
  const nowMs = ctx.clock.now();
  const changes: SessionChange[] = [];
  const answers = asked.map(({ sessionId, userId }) => {
    const session = sessions.get(sessionId);
    if (!session || (userId !== null && session.user_id !== userId)) return null;
    if (session.state === 'ended') return session;
    const isPast = isPastTimeout(session, timeoutMs, nowMs);
    const change = endedBy(session, isPast ? endByTimeout : (open) => endByHand(open, nowMs));
    changes.push(change);
    // The same batch may ask for it again.
    sessions.set(sessionId, change.after);
    return change.after;
  });
  return { changes, answers };
}

async function findSessions(ctx: Context, orgId: string, ids: readonly string[], transaction: ClientSession) {
  const named = { _id: { $in: [...new Set(ids)] }, org_id: orgId };
  const found = await sessionRows(ctx).find(named, { session: transaction }).toArray();
  return new Map(found.map((session) => [session._id, session]));
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
