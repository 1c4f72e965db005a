import type { ClientSession } from 'mongoose';
import { readOrganization } from '../organizations/read-organization.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type DueRow, dueRows } from '../platform/due/model.ts';
import { clearDue, readDue, setDue } from '../platform/due/plan-due.ts';
import { endSessionJob, moveSessionEndsJob, type OpenSession } from './jobs.ts';
import { sessionRows } from './model.ts';
import { silenceEndsMs, timeoutMsOf } from './silence.ts';

/** Due rows that one transaction moves. */
const MOVED_AT_ONCE = 500;

/** The last due row that was moved, by its id. */
interface Moved {
  last: string;
}

/** The plan that has the due times of an organization's open sessions follow its changed timeout. */
export function planMove(orgId: string, nowMs: number): Plan {
  return setDue<Moved>(moveSessionEndsJob, { key: orgId, orgId, dueMs: nowMs, details: { last: '' } });
}

/**
 * Gives the open sessions of an organization the due time of its present timeout, some per transaction. A worker that
 * dies is followed by one that goes on where it was.
 */
export async function moveSessionEnds(ctx: Context, orgId: string): Promise<void> {
  while (await moveSome(ctx, orgId));
}

/** Returns true when there may be more. */
async function moveSome(ctx: Context, orgId: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const due = await readDue<Moved>(ctx, moveSessionEndsJob, orgId, transaction);
    if (!due) return { ...NO_PLAN, result: false };
    const timeoutMs = timeoutMsOf(await readOrganization(ctx, orgId, transaction));
    const open = (await dueRows(ctx)
      .find({ kind: endSessionJob.kind, org_id: orgId, _id: { $gt: due.last } }, { session: transaction })
      .sort({ _id: 1 })
      .limit(MOVED_AT_ONCE)
      .toArray()) as (DueRow & OpenSession)[];
    const moved = await planDueTimes(ctx, orgId, { open, timeoutMs }, transaction);
    const isMore = open.length === MOVED_AT_ONCE;
    const details: Moved = { last: open.at(-1)?._id ?? due.last };
    const rest = isMore
      ? setDue(moveSessionEndsJob, { key: orgId, orgId, dueMs: due.due_at.getTime(), details })
      : { writes: [clearDue(moveSessionEndsJob, orgId)], wakeUps: [] };
    return { ...joinPlans(moved, rest), result: isMore };
  });
}

async function planDueTimes(
  ctx: Context,
  orgId: string,
  { open, timeoutMs }: { open: readonly OpenSession[]; timeoutMs: number },
  transaction: ClientSession,
): Promise<Plan> {
  const ids = open.map(({ session_id }) => session_id);
  const sessions = await sessionRows(ctx)
    .find({ _id: { $in: ids }, org_id: orgId }, { session: transaction })
    .toArray();
  return joinPlans(
    ...sessions.map((session) =>
      setDue<OpenSession>(endSessionJob, {
        key: session.key,
        orgId,
        dueMs: silenceEndsMs(session, timeoutMs),
        details: { session_id: session._id },
      }),
    ),
  );
}
