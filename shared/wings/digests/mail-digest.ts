import type { ClientSession } from 'mongoose';
import { type Member, memberRows, type Organization } from '../../core/accounts/organizations/model.ts';
import { readOrganization } from '../../core/accounts/organizations/read-organization.ts';
import type { DueMail, DueMailKind, Wanted } from '../../core/events/mails/send-due-mail.ts';
import { mailAddressFor } from '../../core/events/webhooks/endpoints/mail-target.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../../core/events/webhooks/endpoints/unsubscribe.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { baseUrl } from '../../platform/basics/config.ts';
import { hashedKey } from '../../platform/basics/ids.ts';
import { joinPlans, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Mail, MailAttempt } from '../../platform/mail/send-mail.ts';
import { updateRow } from '../../platform/mongo/writes.ts';
import { digestText } from './digest-text.ts';
import { type DigestPeriod, periodOf } from './period.ts';
import { nextDigestMs, planNextDigest } from './preferences/digest-time.ts';
import { mailDigestJob } from './preferences/jobs.ts';
import { preferencesRows } from './preferences/model.ts';
import { readDigest } from './read-digest.ts';

interface Content {
  /** The key of the due row. */
  key: string;
  member: Member;
  organization: Organization;
  period: DigestPeriod;
}

/** The digest of a member: it is planned anew for the next day or week, unless it was asked for at once. */
export const digestMail: DueMailKind<Content> = { job: mailDigestJob, decide, write, finish };

function readKey(key: string): { accountId: string; isAsked: boolean } {
  const [accountId = '', asked] = key.split('.');
  return { accountId, isAsked: asked !== undefined };
}

async function decide(
  ctx: Context,
  due: DueMail,
  transaction: ClientSession,
): Promise<Wanted<Content> | Plan | null> {
  const { key, org_id: orgId } = due;
  const { accountId, isAsked } = readKey(key);
  const nowMs = ctx.clock.now();
  const options = { session: transaction };
  const member = await memberRows(ctx).findOne({ _id: accountId }, options);
  const preferences = await preferencesRows(ctx).findOne({ _id: accountId }, options);
  const digest = preferences?.digest ?? 'none';
  if (member?.removed_at !== null || (digest === 'none' && !isAsked)) return null;
  const organization = await readOrganization(ctx, orgId, transaction);
  const kind = digest === 'none' ? 'daily' : digest;
  const attempt = isAsked ? due : newest(organization, kind, due, nowMs);
  const period = periodOf(organization, kind, attempt.scheduled_at.getTime());
  // A change of the timezone may bring a second 8:00 of one day.
  if (!isAsked && preferences?.last_period === period.id)
    return planNextDigest(organization, { accountId, digest: kind }, nowMs);
  const content = { key, member, organization, period };
  const { scheduled_at, attempt: number } = attempt;
  return { content, to: mailAddressFor(member), scheduled_at, attempt: number };
}

/** The digest that is due now: one whose successor is due already is left out, as after a long outage. */
function newest(
  organization: Organization,
  kind: DigestPeriod['kind'],
  due: MailAttempt,
  nowMs: number,
): MailAttempt {
  const nextMs = nextDigestMs(organization, kind, due.scheduled_at.getTime());
  if (nextMs > nowMs) return due;
  return newest(organization, kind, { scheduled_at: dateAt(nextMs), attempt: 1 }, nowMs);
}

async function write(ctx: Context, { key, member, organization, period }: Content): Promise<Mail> {
  const { subject, text } = digestText(await readDigest(ctx, organization, member, period));
  const dashboard = `${baseUrl(ctx.config)}/dashboard`;
  const { isAsked } = readKey(key);
  const reason = isAsked ? 'you asked for it' : `you chose a ${period.kind} digest`;
  const url = unsubscribeUrl(ctx.config, member._id);
  return {
    to: [member.email ?? ''],
    subject,
    text: `${text}\n\n${dashboard}/\n\n-- \nYou get this because ${reason}: ${dashboard}/alerts\nUnsubscribe: ${url}\n`,
    messageId: `<digest.${hashedKey(18, member._id, isAsked ? key : period.id)}@usage-governor>`,
    headers: unsubscribeHeaders(url),
  };
}

async function finish(
  ctx: Context,
  { key, organization, period }: Content,
  isSent: boolean,
  transaction: ClientSession,
): Promise<Plan | null> {
  const { accountId, isAsked } = readKey(key);
  if (isAsked) return null;
  const preferences = await preferencesRows(ctx).findOne({ _id: accountId }, { session: transaction });
  const digest = preferences?.digest ?? 'none';
  if (digest === 'none') return null;
  const mark = { $set: { last_period: period.id } };
  const writes = isSent ? [updateRow(preferencesRows, { _id: accountId }, mark)] : [];
  const next = planNextDigest(organization, { accountId, digest }, ctx.clock.now());
  return joinPlans({ writes }, next);
}
