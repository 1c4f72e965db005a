import { createHmac } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Config } from '../../../platform/basics/config.ts';
import { mailboxOf } from '../../../platform/basics/email.ts';
import type { Context } from '../../../platform/context/context.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import { deleteRows, replaceRow, type Write } from '../../../platform/mongo/writes.ts';
import type { Member } from './model.ts';

/**
 * A row belongs to no present member there. It outlives the member, so that who has said no is not written to again after a removal and another
 * invitation.
 */
export const endedMailRows = collection('ended_mails', {
  about: 'A mailbox that wants no mails of an organization. Its id is a hash of the address.',
  fields: {
    /** Keyed hash of organization and mailbox. */
    _id: String,
    org_id: String,
    ended_at: Date,
  },
});

function keyOf({ apiKeyPepper }: Config, orgId: string, email: string): string {
  const mailbox = JSON.stringify(['ended mails', orgId, mailboxOf(email)]);
  return createHmac('sha256', apiKeyPepper).update(mailbox).digest('base64url');
}

/** The writes that keep the end of the mails of a member who leaves, or leaves this address. */
export function keepEndOfMails(ctx: Context, { org_id, email, mails_ended_at }: Member): Write[] {
  if (email === null || mails_ended_at === undefined) return [];
  const _id = keyOf(ctx.config, org_id, email);
  return [replaceRow(endedMailRows, { _id, org_id, ended_at: mails_ended_at }, { upsert: true })];
}

/** Gives new members whose mailboxes have ended the mails of the organization that end, in the transaction that adds them. */
export async function withEndOfMails(
  ctx: Context,
  members: readonly Member[],
  transaction: ClientSession,
): Promise<{ members: Member[]; writes: Write[] }> {
  const idOf = ({ org_id, email }: Member) => (email === null ? '' : keyOf(ctx.config, org_id, email));
  const ended = await endedMailRows(ctx)
    .find({ _id: { $in: members.map(idOf) } }, { session: transaction })
    .toArray();
  const endOf = new Map(ended.map(({ _id, ended_at }) => [_id, dateAt(ended_at.getTime())]));
  return {
    members: members.map((member) => {
      const mails_ended_at = endOf.get(idOf(member));
      return mails_ended_at ? { ...member, mails_ended_at } : member;
    }),
    writes:
      ended.length === 0 ? [] : [deleteRows(endedMailRows, { _id: { $in: ended.map(({ _id }) => _id) } })],
  };
}
