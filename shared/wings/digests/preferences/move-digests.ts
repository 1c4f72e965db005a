import { readOrganization } from '../../../core/accounts/organizations/read-organization.ts';
import { NO_PLAN } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { moveDue } from '../../../platform/due/move-due.ts';
import type { MailAttempt } from '../../../platform/mail/send-mail.ts';
import { planNextDigest } from './digest-time.ts';
import { mailDigestJob, moveDigestsJob } from './jobs.ts';
import { preferencesRows } from './model.ts';

/** Plans the coming digests of an organization anew, after a change of its timezone. One that is due stays due. */
export async function moveDigests(ctx: Context, orgId: string): Promise<void> {
  const jobs = { mover: moveDigestsJob, moved: mailDigestJob };
  await moveDue<MailAttempt>(ctx, orgId, jobs, async (planned, transaction) => {
    const organization = await readOrganization(ctx, orgId, transaction);
    const nowMs = ctx.clock.now();
    const coming = planned.filter(({ scheduled_at }) => scheduled_at.getTime() > nowMs);
    const people = await preferencesRows(ctx)
      .find({ _id: { $in: coming.map(({ key }) => key) } }, { session: transaction })
      .toArray();
    return people.map(({ _id: accountId, digest }) =>
      digest === 'none' ? NO_PLAN : planNextDigest(organization, { accountId, digest }, nowMs),
    );
  });
}
