import { dateAt } from '../../platform/basics/clock.ts';
import { hashedKey } from '../../platform/basics/ids.ts';
import { commitPlan, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { collection } from '../../platform/mongo/collection.ts';
import { replaceRow } from '../../platform/mongo/writes.ts';
import { mailAddressOf } from '../endpoints/mail-target.ts';
import type { Webhook } from '../endpoints/model.ts';

/** Mails to one address of an organization within any hour. */
const MAILS_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const KEPT_S = 86_400;

/** When an address was written to, the last twenty times. */
export interface MailPermits {
  /** Of organization and address, hashed. */
  _id: string;
  sent: Date[];
  last_sent_at: Date;
}

export const mailPermitRows = collection<MailPermits>('mail_permits', {
  indexes: [{ key: { last_sent_at: 1 }, expireAfterSeconds: KEPT_S }],
});

/**
 * Takes the right to write once to a webhook whose address is a mailbox. Null when it is taken, or none is needed; else
 * when the next one is free (epoch ms).
 */
export async function takeMailPermit(ctx: Context, webhook: Webhook): Promise<number | null> {
  if (webhook.format !== 'email') return null;
  const _id = permitsOf(ctx, webhook);
  return commitPlan(
    ctx,
    async (transaction) => {
      const nowMs = ctx.clock.now();
      const known = await mailPermitRows(ctx).findOne({ _id }, { session: transaction });
      const recent = (known?.sent ?? []).filter((sent) => sent.getTime() > nowMs - HOUR_MS);
      const [oldest] = recent;
      if (oldest && recent.length >= MAILS_PER_HOUR)
        return { ...NO_PLAN, result: oldest.getTime() + HOUR_MS };
      const now = dateAt(nowMs);
      const row: MailPermits = { _id, sent: [...recent, now], last_sent_at: now };
      return { writes: [replaceRow(mailPermitRows, row, { upsert: true })], wakeUps: [], result: null };
    },
    { onDuplicateKey: 'retry' },
  );
}

/** Gives back the permit of a mail that was not sent: the newest, whichever of those under way that is. */
export async function returnMailPermit(ctx: Context, webhook: Webhook): Promise<void> {
  await mailPermitRows(ctx).updateOne({ _id: permitsOf(ctx, webhook) }, { $pop: { sent: 1 } });
}

function permitsOf(ctx: Context, webhook: Webhook): string {
  return hashedKey(18, webhook.org_id, mailAddressOf(ctx.config, webhook));
}
