import { dateAt } from '../../../../platform/basics/clock.ts';
import { mailboxOf } from '../../../../platform/basics/email.ts';
import { hashedKey } from '../../../../platform/basics/ids.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { collection } from '../../../../platform/mongo/collection.ts';
import { replaceRow } from '../../../../platform/mongo/writes.ts';

/** Mails of an organization to one mailbox within any hour. */
const MAILS_PER_MAILBOX = 20;
const HOUR_MS = 3_600_000;
const KEPT_S = 86_400;

/** When the newest mails were sent: of an organization to one mailbox, or of the organization in all. */
export const mailPermitRows = collection('mail_permits', {
  about: 'When the last mails went to a mailbox, by a hash of its address.',
  fields: {
    /** Hash of the organization, and of the mailbox where it is one's. */
    _id: String,
    sent: [Date],
    last_sent_at: Date,
  },
  indexes: [{ key: { last_sent_at: 1 }, expireAfterSeconds: KEPT_S }],
});

export interface MailTo {
  orgId: string;
  address: string;
}

/**
 * Takes the right to send one mail. Null when it is taken; otherwise when the next one is free (epoch ms). Both limits count
 * every mail: that of the mailbox and that of the organization.
 */
export async function takeMailPermit(ctx: Context, to: MailTo): Promise<number | null> {
  return commitPlan(
    ctx,
    async (transaction) => {
      const nowMs = ctx.clock.now();
      const now = dateAt(nowMs);
      const limits = limitsOf(ctx, to);
      const ids = limits.map(({ _id }) => _id);
      const known = await mailPermitRows(ctx)
        .find({ _id: { $in: ids } }, { session: transaction })
        .toArray();
      const recent = limits.map(({ _id, most }) => {
        const all = known.find((row) => row._id === _id)?.sent ?? [];
        return { _id, most, sent: all.filter((sent) => sent.getTime() > nowMs - HOUR_MS) };
      });
      // The permit that has to end before there is room for another.
      const blocking = recent.flatMap(({ sent, most }) => sent.at(-most) ?? []);
      if (blocking.length > 0) return { result: Math.max(...blocking.map(Number)) + HOUR_MS };
      const writes = recent.map(({ _id, sent }) =>
        replaceRow(mailPermitRows, { _id, sent: [...sent, now], last_sent_at: now }, { upsert: true }),
      );
      return { writes, result: null };
    },
    { onDuplicateKey: 'retry' },
  );
}

/** Gives back the permit of a mail that was not sent: the newest, whichever of those under way that is. */
export async function returnMailPermit(ctx: Context, to: MailTo): Promise<void> {
  for (const { _id } of limitsOf(ctx, to))
    await mailPermitRows(ctx).updateOne({ _id }, { $pop: { sent: 1 } });
}

function limitsOf(ctx: Context, { orgId, address }: MailTo): { _id: string; most: number }[] {
  return [
    { _id: hashedKey(18, orgId, mailboxOf(address)), most: MAILS_PER_MAILBOX },
    { _id: hashedKey(18, orgId), most: ctx.config.mailsPerOrganization },
  ];
}
