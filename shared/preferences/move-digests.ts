import { readOrganization } from '../organizations/read-organization.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type DueRow, dueRows } from '../platform/due/model.ts';
import { clearDue, readDue, setDue } from '../platform/due/plan-due.ts';
import type { MailAttempt } from '../platform/mail/attempt.ts';
import { planNextDigest } from './digest-time.ts';
import { mailDigestJob, moveDigestsJob } from './jobs.ts';
import { preferencesRows } from './model.ts';

/** Due rows that one transaction moves. */
const MOVED_AT_ONCE = 500;

/** The last due row that was moved, by its id. */
interface Moved {
  last: string;
}

/** The plan that has the digests of an organization follow its changed timezone. */
export function planMoveDigests(orgId: string, nowMs: number): Plan {
  return setDue<Moved>(moveDigestsJob, { key: orgId, orgId, dueMs: nowMs, details: { last: '' } });
}

/** Plans the coming digests of an organization anew, some per transaction. One that is due stays due. */
export async function moveDigests(ctx: Context, orgId: string): Promise<void> {
  while (await moveSome(ctx, orgId));
}

/** Returns true when there may be more. */
async function moveSome(ctx: Context, orgId: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const options = { session: transaction };
    const due = await readDue<Moved>(ctx, moveDigestsJob, orgId, transaction);
    if (!due) return { ...NO_PLAN, result: false };
    const organization = await readOrganization(ctx, orgId, transaction);
    const planned = (await dueRows(ctx)
      .find({ kind: mailDigestJob.kind, org_id: orgId, _id: { $gt: due.last } }, options)
      .sort({ _id: 1 })
      .limit(MOVED_AT_ONCE)
      .toArray()) as (DueRow & MailAttempt)[];
    const nowMs = ctx.clock.now();
    const coming = planned.filter(({ scheduled_at }) => scheduled_at.getTime() > nowMs);
    const people = await preferencesRows(ctx)
      .find({ _id: { $in: coming.map(({ key }) => key) } }, options)
      .toArray();
    const moved = people.map(({ _id: accountId, digest }) =>
      digest === 'none' ? NO_PLAN : planNextDigest(organization, { accountId, digest }, nowMs),
    );
    const isMore = planned.length === MOVED_AT_ONCE;
    const details: Moved = { last: planned.at(-1)?._id ?? due.last };
    const rest = isMore
      ? setDue(moveDigestsJob, { key: orgId, orgId, dueMs: due.due_at.getTime(), details })
      : { writes: [clearDue(moveDigestsJob, orgId)], wakeUps: [] };
    return { ...joinPlans(...moved, rest), result: isMore };
  });
}
