import { dateAt } from '../../platform/basics/clock.ts';
import { hashedKey } from '../../platform/basics/ids.ts';
import { commitPlan, NO_PLAN } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { collection } from '../../platform/mongo/collection.ts';
import { replaceRow } from '../../platform/mongo/writes.ts';

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

/** Takes the right to write to an address once. Null when it is taken, else when the next one is free (epoch ms). */
export async function takeMailPermit(ctx: Context, orgId: string, address: string): Promise<number | null> {
  const _id = hashedKey(18, orgId, address);
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
