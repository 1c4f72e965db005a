import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { setDue } from '../../../../platform/due/plan-due.ts';
import type { Mail, MailAttempt } from '../../../../platform/mail/send-mail.ts';
import { type Member, memberRows } from '../../../accounts/organizations/model.ts';
import type { DueMail, DueMailKind, Wanted } from '../../../events/mails/send-due-mail.ts';
import { type Event, eventRows } from '../../../events/record/model.ts';
import { eventIdOf, type NewEvent } from '../../../events/record/new-event.ts';
import { mailAddressFor, takesMail } from '../../../events/webhooks/endpoints/mail-target.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../../../events/webhooks/endpoints/unsubscribe.ts';
import { render } from '../../../events/webhooks/messages/render.ts';
import type { LevelReached } from '../rules/evaluate.ts';
import { mailOwnerJob } from '../rules/jobs.ts';
import { type Budget, budgetRows, isMuted } from '../rules/model.ts';
import { isOwnedBy } from '../rules/visible.ts';

export interface Fired {
  used: LevelReached;
  event: NewEvent;
}

/**
 * Plans the mails about levels that fire now to the people who own their budgets: of each window the highest. A part of a template
 * that is somebody else's goes to its owner only while that is an admin.
 */
export async function planOwnerMails(
  ctx: Context,
  fired: readonly Fired[],
  transaction: ClientSession,
): Promise<Plan> {
  // Those that are kept are of budgets with such an owner, and not muted.
  const kept = ctx.config.smtpUrl ? fired.filter(({ event }) => event.is_kept) : [];
  const highest = new Map(kept.map((each) => [windowOf(each.used), each]));
  const plans: Plan[] = [];
  for (const { used, event } of highest.values()) {
    const owner = await findOwner(ctx, used.budget, transaction);
    if (owner && takesMail(owner) && mayRead(owner, used.budget)) plans.push(planMail(ctx, event, owner));
  }
  return plans.length === 0 ? NO_PLAN : joinPlans(...plans);
}

/** Levels of one window come in their order, so that the last one is the highest. */
function windowOf({ budget, interval }: LevelReached): string {
  return [budget._id, budget.scope_id, interval.startMs].join(' ');
}

async function findOwner(
  ctx: Context,
  { org_id, owner }: Budget,
  transaction: ClientSession,
): Promise<Member | null> {
  if (!owner || !('user_id' in owner)) return null;
  return memberRows(ctx).findOne({ org_id, user_id: owner.user_id }, { session: transaction });
}

function mayRead({ user_id, role }: Member, { per, scope_id }: Budget): boolean {
  return !per || scope_id === user_id || role === 'admin';
}

function planMail(ctx: Context, event: NewEvent, { _id }: Member): Plan {
  const nowMs = ctx.clock.now();
  const details = { scheduled_at: dateAt(nowMs), attempt: 1 };
  const key = [eventIdOf(event), _id].join('.');
  return setDue<MailAttempt>(mailOwnerJob, { key, orgId: event.org_id, dueMs: nowMs, details });
}

interface Content {
  event: Event;
  to: string;
  accountId: string;
  /** Names of others are for admins. */
  seesPeople: boolean;
}

/** The mail about a level of a budget to the person who owns it. */
export const ownerMail: DueMailKind<Content> = { job: mailOwnerJob, decide, write };

/** Nothing is sent any more when the person owns the budget no longer, or it is muted meanwhile. */
async function decide(
  ctx: Context,
  { key, org_id, scheduled_at, attempt }: DueMail,
  transaction: ClientSession,
): Promise<Wanted<Content> | null> {
  const [eventId = '', accountId = ''] = key.split('.');
  const session = { session: transaction };
  const event = await eventRows(ctx).findOne({ _id: eventId, org_id }, session);
  const member = await memberRows(ctx).findOne({ _id: accountId, org_id }, session);
  const to = member && mailAddressFor(member);
  if (!event || !member || !to) return null;
  const { budget_id, scope_id } = (JSON.parse(event.body) as { data: Record<string, string> }).data;
  const budget = budget_id ? await budgetRows(ctx).findOne({ _id: budget_id }, session) : null;
  if (!budget || !isOwnedBy(budget, member.user_id) || isMuted(budget, ctx.clock.now())) return null;
  if (!mayRead(member, { ...budget, scope_id: scope_id ?? '' })) return null;
  return {
    content: { event, to: to.address, accountId, seesPeople: member.role === 'admin' },
    to,
    scheduled_at,
    attempt,
  };
}

async function write(ctx: Context, { event, to, accountId, seesPeople }: Content): Promise<Mail> {
  const { headers, body } = render('email', event.body, event.words, { seesPeople });
  const url = unsubscribeUrl(ctx.config, accountId);
  return {
    to: [to],
    subject: headers.subject ?? '',
    text: `${body}\n\n-- \nYou get this because you own the budget. Unsubscribe: ${url}\n`,
    messageId: `<${event._id}.${accountId}@usage-governor>`,
    headers: unsubscribeHeaders(url),
  };
}
