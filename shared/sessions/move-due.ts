import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { type DueRow, dueRows } from '../platform/due/model.ts';
import { setDue } from '../platform/due/plan-due.ts';
import { onShard } from '../platform/mongo/on-shard.ts';
import type { Write } from '../platform/mongo/writes.ts';
import { endSessionJob, type OpenSession } from './jobs.ts';
import { sessionRows } from './model.ts';
import { silenceEndsMs } from './silence.ts';

/**
 * The writes that give the open sessions of an organization the due time of another timeout. The sweeper finds what is
 * due by it.
 */
export async function planMovedDue(
  ctx: Context,
  orgId: string,
  timeoutMs: number,
  transaction: ClientSession,
): Promise<Write[]> {
  const open = (await dueRows(ctx)
    .find({ kind: endSessionJob.kind, org_id: orgId }, { session: transaction })
    .toArray()) as (DueRow & OpenSession)[];
  const ids = open.map(({ session_id }) => session_id);
  const sessions = await sessionRows(ctx)
    .find(onShard(ctx, { _id: { $in: ids } }, { org_id: orgId }), { session: transaction })
    .toArray();
  return sessions.flatMap((session) => {
    const dueMs = silenceEndsMs(session, timeoutMs);
    const details: OpenSession = { session_id: session._id };
    return setDue(endSessionJob, { key: session.key, orgId, dueMs, details }).writes;
  });
}
