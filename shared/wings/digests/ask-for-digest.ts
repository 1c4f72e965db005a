import { randomUUID } from 'node:crypto';
import { confirmActor } from '../../core/accounts/keys/confirm-actor.ts';
import { memberRows } from '../../core/accounts/organizations/model.ts';
import { noMember } from '../../core/accounts/organizations/roster.ts';
import { takesMail } from '../../core/events/webhooks/endpoints/mail-target.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { commitPlan, joinPlans } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { insertDue } from '../../platform/due/plan-due.ts';
import type { MailAttempt } from '../../platform/mail/send-mail.ts';
import { replaceRow } from '../../platform/mongo/writes.ts';
import type { Account } from './preferences/change-preferences.ts';
import { mailDigestJob } from './preferences/jobs.ts';
import { noPreferences, preferencesRows } from './preferences/model.ts';

/** Digests that a person may ask for within any hour. */
const ASKED_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

/**
 * Has a digest sent to a member now, beside the planned ones. Throws `conflict` when no mail can go to the member, and
 * `too_many_requests` for a fourth within an hour.
 */
export async function askForDigest(ctx: Context, { accountId, orgId }: Account): Promise<void> {
  if (!ctx.config.smtpUrl)
    throw new DomainError('conflict', 'This service has no mail server (SMTP_URL), so it sends no digests.');
  await commitPlan(
    ctx,
    async (transaction) => {
      const options = { session: transaction };
      const actor = await confirmActor(ctx, { orgId, role: 'member' }, transaction);
      const member = await memberRows(ctx).findOne({ _id: accountId }, options);
      if (!member || member.removed_at !== null) throw noMember();
      if (!takesMail(member))
        throw new DomainError(
          'conflict',
          'No mail goes to this member: sign in with the address that the organization has, or choose a digest to take mails again.',
        );
      const known = await preferencesRows(ctx).findOne({ _id: accountId }, options);
      const before = known ?? noPreferences(accountId, orgId);
      const nowMs = ctx.clock.now();
      const recent = before.asked.filter((asked) => asked.getTime() > nowMs - HOUR_MS);
      refuseTooMany(recent, nowMs);
      const now = dateAt(nowMs);
      const after = { ...before, asked: [...recent, now] };
      const details = { scheduled_at: now, attempt: 1 };
      const due = { key: `${accountId}.${randomUUID()}`, orgId, dueMs: nowMs, details };
      const writes = [...actor.writes, replaceRow(preferencesRows, after, { upsert: true })];
      const plan = joinPlans({ writes }, insertDue<MailAttempt>(mailDigestJob, due));
      return { ...plan, result: undefined };
    },
    { onDuplicateKey: 'retry' },
  );
}

function refuseTooMany(recent: readonly Date[], nowMs: number): void {
  const oldest = recent.at(-ASKED_PER_HOUR);
  if (oldest === undefined) return;
  const retry_after_s = Math.ceil((oldest.getTime() + HOUR_MS - nowMs) / 1_000);
  throw new DomainError(
    'too_many_requests',
    `At most ${ASKED_PER_HOUR} digests may be asked for within an hour.`,
    { retry_after_s },
  );
}
