import { NO_PLAN, type Plan } from '../../../platform/context/commit-plan.ts';
import { clearDue, insertDue } from '../../../platform/due/plan-due.ts';
import { insertRow, replaceRow, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { silenceEndsMs } from './assign.ts';
import { endSessionJob, type OpenSession } from './jobs.ts';
import { type Session, type SessionChange, sessionHeadRows, sessionRows } from './model.ts';

/** The two sides of a change as they count: a session whose signals were all voided counts as none. Pure. */
export function countedSessions({ before, after }: SessionChange): {
  before: Session | null;
  after: Session | null;
} {
  const counted = (session: Session | null) => (session && session.signal_count > 0 ? session : null);
  return { before: counted(before), after: counted(after) };
}

/**
 * The plans that write changed sessions, and the due rows of those that open or end. Activity leaves a due row alone: the job
 * that finds it due checks the session. Pure.
 */
export function planSessions(changes: readonly SessionChange[], timeoutMs: number): readonly Plan[] {
  const writes = changes.map(({ before, after }) =>
    before ? replaceRow(sessionRows, after) : insertRow(sessionRows, after),
  );
  return [{ writes, wakeUps: [] }, ...changes.map((change) => planDue(change, timeoutMs))];
}

function planDue({ before, after }: SessionChange, timeoutMs: number): Plan {
  const wasOpen = before?.state === 'open';
  const isOpen = after.state === 'open';
  if (wasOpen && !isOpen) return { writes: [clearDue(endSessionJob, after.key)], wakeUps: [] };
  if (wasOpen || !isOpen) return NO_PLAN;
  return insertDue<OpenSession>(endSessionJob, {
    key: after.key,
    orgId: after.org_id,
    dueMs: silenceEndsMs(after, timeoutMs),
    details: { session_id: after._id },
  });
}

/**
 * The write that names the newest session of a key, and conflicts with every other change of the key's sessions. It is an insert
 * when the key is new. Pure.
 */
export function planHead({ key, _id }: Pick<Session, 'key' | '_id'>, isNew: boolean): Write {
  if (isNew) return insertRow(sessionHeadRows, { _id: key, session_id: _id, version: 1 });
  const update = { $set: { session_id: _id }, $inc: { version: 1 } };
  return updateRow(sessionHeadRows, { _id: key }, update, { upsert: true });
}

export function hasEnded({ before, after }: SessionChange): boolean {
  return after.state === 'ended' && before?.state !== 'ended';
}
