import type { Context } from '../../../platform/context/context.ts';
import { moveDue } from '../../../platform/due/move-due.ts';
import { setDue } from '../../../platform/due/plan-due.ts';
import { readOrganization } from '../../accounts/organizations/read-organization.ts';
import { silenceEndsMs, timeoutMsOf } from './assign.ts';
import { endSessionJob, moveSessionEndsJob, type OpenSession } from './jobs.ts';
import { sessionRows } from './model.ts';

/** Gives the open sessions of an organization the due time of its present timeout. */
export async function moveSessionEnds(ctx: Context, orgId: string): Promise<void> {
  const jobs = { mover: moveSessionEndsJob, moved: endSessionJob };
  await moveDue<OpenSession>(ctx, orgId, jobs, async (open, transaction) => {
    const timeoutMs = timeoutMsOf(await readOrganization(ctx, orgId, transaction));
    const ids = open.map(({ session_id }) => session_id);
    const sessions = await sessionRows(ctx)
      .find({ _id: { $in: ids }, org_id: orgId }, { session: transaction })
      .toArray();
    return sessions.map(({ _id: session_id, key, ...session }) =>
      setDue<OpenSession>(endSessionJob, {
        key,
        orgId,
        dueMs: silenceEndsMs(session, timeoutMs),
        details: { session_id },
      }),
    );
  });
}
