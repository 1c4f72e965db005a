import { createHmac } from 'node:crypto';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { baseUrl, type Config } from '../../../../platform/basics/config.ts';
import { DomainError, isCode } from '../../../../platform/basics/errors.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../../../../platform/context/commit-plan.ts';
import { type Context, partsOf } from '../../../../platform/context/context.ts';
import { updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { sameHash } from '../../../accounts/keys/credential.ts';
import { memberRows } from '../../../accounts/organizations/model.ts';
import { type AlsoEnds, deleteWebhook } from './delete-webhook.ts';
import { mailAddressOf } from './mail-target.ts';
import { webhookRows } from './model.ts';

/** The link by which a member ends the mails of the organization with one click (RFC 8058). */
export function unsubscribeUrl(config: Config, accountId: string): string {
  return `${baseUrl(config)}/v1/unsubscribe/${accountId}.${proofOf(config, accountId)}`;
}

/** The headers of a mail that can be ended by one click (RFC 8058), and that no program answers. */
export function unsubscribeHeaders(url: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  };
}

/** The account of a mail that we have sent. Throws `not_found` for any other token. */
export function readUnsubscribeToken(config: Config, token: string): string {
  const [accountId = '', proof = ''] = token.split('.');
  if (sameHash(proof, proofOf(config, accountId))) return accountId;
  throw new DomainError('not_found', 'This link is not one of ours.');
}

/**
 * Ends all mails of the organization to a member: digests end, webhooks that write to the member are deleted, each with what
 * `alsoEnds` plans, and new ones are refused until `subscribeAgain`. Idempotent. Throws `not_found` for a foreign token.
 */
export async function unsubscribe(ctx: Context, token: string, alsoEnds?: AlsoEnds): Promise<void> {
  const member = await setMailsEnded(ctx, token, true, alsoEnds);
  if (!member) return;
  const webhooks = await webhookRows(ctx).find({ org_id: member.org_id }).toArray();
  for (const webhook of webhooks.filter(({ format }) => format === 'email')) {
    if (mailAddressOf(ctx.config, webhook) !== member.email) continue;
    await deleteWebhook(ctx, member.org_id, webhook._id, alsoEnds).catch((error: unknown) => {
      // A second click at the same moment was faster.
      if (!isCode(error, 'not_found')) throw error;
    });
  }
}

/** Lets an organization write to a member again. Throws `not_found` for a token that is not ours. */
export async function subscribeAgain(ctx: Context, token: string): Promise<void> {
  await setMailsEnded(ctx, token, false);
}

export interface MailsHook {
  /** The writes that end the wing's mails to a member who wants none of the organization. */
  endMails?(accountId: string): readonly Write[];
}

function endMails(ctx: Context, accountId: string): Write[] {
  return partsOf<MailsHook>(ctx, 'person').flatMap((hook) => hook.endMails?.(accountId) ?? []);
}

/** Notes what a member wants, with a line in the audit log when that is new. Null when the member has left. */
async function setMailsEnded(ctx: Context, token: string, ends: boolean, alsoEnds?: AlsoEnds) {
  const accountId = readUnsubscribeToken(ctx.config, token);
  return commitPlan(ctx, async (transaction) => {
    const member = await memberRows(ctx).findOne({ _id: accountId }, { session: transaction });
    if (!member || member.removed_at !== null) return { result: null };
    if ((member.mails_ended_at !== undefined) === ends) return { result: member };
    const change = ends
      ? { $set: { mails_ended_at: dateAt(ctx.clock.now()) } }
      : { $unset: { mails_ended_at: true as const } };
    const action = ends ? 'member.unsubscribe' : 'member.subscribe';
    const details = { user_id: member.user_id };
    const writes = [
      updateRow(memberRows, { _id: accountId }, change),
      ...(ends ? endMails(ctx, accountId) : []),
      auditWrite(ctx, { action, org_id: member.org_id, details }),
    ];
    const also = (await alsoEnds?.(ctx, member.org_id, details, transaction)) ?? NO_PLAN;
    return { ...joinPlans({ writes }, also), result: member };
  });
}

function proofOf(config: Config, accountId: string): string {
  return createHmac('sha256', config.cursorSecret).update(`unsubscribe ${accountId}`).digest('base64url');
}
