import type { ClientSession } from 'mongoose';
import { type Member, memberRows } from '../../core/accounts/organizations/model.ts';
import type { DueMail, DueMailKind, Wanted } from '../../core/events/mails/send-due-mail.ts';
import { mailAddressFor } from '../../core/events/webhooks/endpoints/mail-target.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../../core/events/webhooks/endpoints/unsubscribe.ts';
import { oneLine, unlinked } from '../../core/events/webhooks/messages/text.ts';
import { isVisible } from '../../core/limits/budgets/rules/visible.ts';
import { hashedKey } from '../../platform/basics/ids.ts';
import { sayMoment } from '../../platform/basics/say-moment.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Mail } from '../../platform/mail/send-mail.ts';
import { amountWords } from './amounts.ts';
import { mailRaiseJob } from './jobs.ts';
import { type Raise, raiseRows, stateAt } from './model.ts';
import { raiseLink } from './plan-told.ts';
import { withOwned } from './read-raises.ts';

/** Characters of a name, and of a note. */
const NAME = 80;
const NOTE = 500;

interface Content {
  key: string;
  raise: Raise;
  member: Member & { email: string };
}

/** The mail about a raise: a new one to an admin, an answer to the person. It holds a link and no credential. */
export const raiseMail: DueMailKind<Content> = { job: mailRaiseJob, decide, write };

async function decide(
  ctx: Context,
  { key, scheduled_at, attempt }: DueMail,
  transaction: ClientSession,
): Promise<Wanted<Content> | null> {
  const [raiseId = '', state, accountId = ''] = key.split('.');
  const session = { session: transaction };
  const raise = await raiseRows(ctx).findOne({ _id: raiseId }, session);
  const member = await memberRows(ctx).findOne({ _id: accountId }, session);
  const to = member && mailAddressFor(member);
  // An admin need not hear of what was answered meanwhile, nor a person of an answer that another one has replaced.
  if (!raise || raise.state !== state || stateAt(raise, ctx.clock.now()) === 'expired') return null;
  if (!member || !to || !mayRead(member, raise)) return null;
  const content = { key, raise, member: { ...member, email: to.address } };
  return { content, to, scheduled_at, attempt };
}

/** True for the person, and for whoever is an admin still: a mail to anybody else would show what they do not see. */
function mayRead({ user_id, role }: Member, raise: Raise): boolean {
  return user_id === raise.user_id || role === 'admin';
}

async function write(ctx: Context, { key, raise, member }: Content): Promise<Mail> {
  const isAnswer = raise.user_id === member.user_id;
  const url = unsubscribeUrl(ctx.config, member._id);
  const viewer = await withOwned(ctx, { orgId: raise.org_id, userId: raise.user_id, scopes: [] });
  const isSeen = isVisible(viewer, raise) || Boolean(viewer.owned?.has(raise.budget_id));
  const { subject, lines } = isAnswer ? answerText(raise, isSeen) : requestText(raise);
  const notes = isAnswer ? raise.answer_note : raise.note;
  return {
    to: [member.email],
    subject,
    text: [
      ...lines,
      ...(notes ? ['', unlinked(oneLine(notes, NOTE))] : []),
      '',
      `${isAnswer ? 'More' : 'Sign in as an admin to answer'}: ${raiseLink(ctx, raise)}`,
      '',
      '-- ',
      `No more mails: ${url}`,
      '',
    ].join('\n'),
    messageId: `<raise.${hashedKey(18, key)}@usage-governor>`,
    headers: unsubscribeHeaders(url),
  };
}

function requestText({ user_id, metric, amount, budget_name }: Raise) {
  const who = unlinked(oneLine(user_id, NAME));
  const budget = unlinked(oneLine(budget_name, NAME));
  const more = amountWords(metric, amount);
  return {
    subject: `${who} asks for ${more} more of “${budget}”`,
    lines: [`${who} asks for ${more} more of the budget “${budget}”.`],
  };
}

function answerText(raise: Raise, isSeen: boolean) {
  const { metric, granted, amount, state, ends_at } = raise;
  const budget = isSeen
    ? `the budget “${unlinked(oneLine(raise.budget_name, NAME))}”`
    : 'a budget of your organization';
  const more = amountWords(metric, granted ?? amount);
  const until = state === 'approved' && ends_at ? ` until ${sayMoment(ends_at.toISOString())}` : '';
  return {
    subject: `Your request for ${amountWords(metric, amount)} more was ${state}`,
    lines: [`${more} more of ${budget}: ${state}${until}.`],
  };
}
