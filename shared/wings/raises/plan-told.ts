import type { ClientSession } from 'mongoose';
import { type Member, memberRows } from '../../core/accounts/organizations/model.ts';
import type { NewEvent } from '../../core/events/record/new-event.ts';
import { planEvents } from '../../core/events/webhooks/deliveries/plan-events.ts';
import { withWords } from '../../core/events/webhooks/deliveries/with-words.ts';
import { findSubscribers } from '../../core/events/webhooks/endpoints/find-subscribers.ts';
import { takesMail } from '../../core/events/webhooks/endpoints/mail-target.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { dashboardUrl } from '../../platform/basics/config.ts';
import { joinPlans, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { setDue } from '../../platform/due/plan-due.ts';
import type { MailAttempt } from '../../platform/mail/send-mail.ts';
import { amountFrom } from './amounts.ts';
import { mailRaiseJob } from './jobs.ts';
import type { Raise } from './model.ts';

/** The page of a raise. It holds no credential: only a signed-in admin answers there. */
export function raiseLink(ctx: Context, { _id }: Pick<Raise, '_id'>): string {
  return dashboardUrl(ctx.config, `raises/${_id}`);
}

/** Names the due row of a mail about a raise in this state to an account. */
export function mailKey({ _id, state }: Pick<Raise, '_id' | 'state'>, accountId: string): string {
  return [_id, state, accountId].join('.');
}

/** The plan that tells of a new raise: the webhooks that ask for it, and by mail each admin but the person. */
export async function planRequested(ctx: Context, raise: Raise, transaction: ClientSession): Promise<Plan> {
  const admins = await memberRows(ctx)
    .find({ org_id: raise.org_id, role: 'admin', removed_at: null }, { session: transaction })
    .toArray();
  const others = admins.filter(({ user_id }) => user_id !== raise.user_id);
  const event = await planEvent(ctx, 'budget.raise_requested', raise, transaction);
  return joinPlans(event, ...planMails(ctx, raise, others));
}

/** The plan that tells of an answer: the webhooks that ask for it, and by mail the person. */
export async function planAnswered(ctx: Context, raise: Raise, transaction: ClientSession): Promise<Plan> {
  const person = await memberRows(ctx).findOne(
    { org_id: raise.org_id, user_id: raise.user_id },
    { session: transaction },
  );
  const event = await planEvent(ctx, 'budget.raise_answered', raise, transaction);
  return joinPlans(event, ...planMails(ctx, raise, person ? [person] : []));
}

function planMails(ctx: Context, raise: Raise, readers: readonly Member[]): Plan[] {
  if (!ctx.config.smtpUrl) return [];
  const nowMs = ctx.clock.now();
  const details = { scheduled_at: dateAt(nowMs), attempt: 1 };
  return readers.filter(takesMail).map(({ _id }) =>
    setDue<MailAttempt>(mailRaiseJob, {
      key: mailKey(raise, _id),
      orgId: raise.org_id,
      dueMs: nowMs,
      details,
    }),
  );
}

/** The event names the raise and leaves out the note: a person's own words stay in the one row that an erasure clears. */
async function planEvent(
  ctx: Context,
  type: 'budget.raise_requested' | 'budget.raise_answered',
  raise: Raise,
  transaction: ClientSession,
): Promise<Plan> {
  const { metric, ends_at } = raise;
  const nowMs = ctx.clock.now();
  const event: NewEvent = {
    type,
    cause: [raise._id, raise.state],
    org_id: raise.org_id,
    ts: dateAt(nowMs),
    concerns: { budgets: [raise.budget_id], people: [raise.user_id] },
    data: {
      raise_id: raise._id,
      budget_id: raise.budget_id,
      budget_name: raise.budget_name,
      user_id: raise.user_id,
      amount: amountFrom(metric, raise.granted ?? raise.amount),
      metric,
      status: raise.state,
      ends_at: ends_at && isoTime(ends_at.getTime()),
      link: raiseLink(ctx, raise),
    },
  };
  const subscribers = await findSubscribers(ctx, raise.org_id, transaction);
  const spoken = await withWords(ctx, [event], subscribers.webhooks, transaction);
  return planEvents(spoken, subscribers, nowMs);
}
