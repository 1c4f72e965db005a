import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { timezoneAt } from '../../../core/accounts/organizations/read-organization.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Plan } from '../../../platform/context/commit-plan.ts';
import { setDue } from '../../../platform/due/plan-due.ts';
import type { MailAttempt } from '../../../platform/mail/send-mail.ts';
import { mailDigestJob } from './jobs.ts';
import type { MailedDigest } from './model.ts';

/** The time of day at which digests are due: weekly ones on Mondays. */
const DIGEST_TIME = Temporal.PlainTime.from({ hour: 8 });
const MONDAY = 1;
/** Two weeks hold a Monday, also where a change of the timezone takes one out. */
const DAYS = 15;

type Zoned = Pick<Organization, 'timezones'>;

/** The first digest after a moment, in the timezone that the organization has then. Epoch ms. */
export function nextDigestMs(
  organization: Zoned,
  digest: Exclude<MailedDigest, 'none'>,
  afterMs: number,
): number {
  const now = Temporal.Instant.fromEpochMilliseconds(afterMs);
  const today = now.toZonedDateTimeISO(timezoneAt(organization, afterMs)).toPlainDate();
  for (let days = -1; days <= DAYS; days += 1) {
    const day = today.add({ days });
    if (digest === 'weekly' && day.dayOfWeek !== MONDAY) continue;
    const next = timesOn(organization, day).find((epochMs) => epochMs > afterMs);
    if (next !== undefined) return next;
  }
  throw new Error('Two weeks have no digest');
}

/** 8:00 of a day in each timezone that is in force at that moment, the earliest first. Epoch ms. */
function timesOn(organization: Zoned, day: Temporal.PlainDate): number[] {
  return organization.timezones
    .map(({ timezone }) => ({
      timezone,
      epochMs: day.toZonedDateTime({ timeZone: timezone, plainTime: DIGEST_TIME }).epochMilliseconds,
    }))
    .filter(({ timezone, epochMs }) => timezoneAt(organization, epochMs) === timezone)
    .map(({ epochMs }) => epochMs)
    .toSorted((a, b) => a - b);
}

/** A plan that has a person's next digest after a moment sent, in place of the one that was planned. */
export function planNextDigest(
  organization: Organization,
  { accountId, digest }: { accountId: string; digest: Exclude<MailedDigest, 'none'> },
  afterMs: number,
): Plan {
  const dueMs = nextDigestMs(organization, digest, afterMs);
  return setDue<MailAttempt>(mailDigestJob, {
    key: accountId,
    orgId: organization._id,
    dueMs,
    details: { scheduled_at: dateAt(dueMs), attempt: 1 },
  });
}
