import type { ClientSession } from 'mongoose';
import { mailPermitRows } from '../core/events/webhooks/endpoints/mail-permits.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { mailboxOf } from '../platform/basics/email.ts';
import { hashedKey } from '../platform/basics/ids.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { replaceRow, type Write } from '../platform/mongo/writes.ts';

/** Invitations that an organization mails within any day, and to one mailbox within any hour. */
const INVITATIONS_PER_DAY = 500;
const HOUR_MS = 3_600_000;

/**
 * Takes permits to mail invitations, in the transaction that invites. Returns the addresses that got one, in order as long as
 * there is room, and the writes. Two spellings of one mailbox get one.
 */
export async function takeInvitationPermits(
  ctx: Context,
  orgId: string,
  addresses: readonly string[],
  transaction: ClientSession,
): Promise<{ permitted: ReadonlySet<string>; writes: Write[] }> {
  const nowMs = ctx.clock.now();
  const now = dateAt(nowMs);
  const ofAll = hashedKey(18, 'invitations', orgId);
  const keyOf = (address: string) => hashedKey(18, 'invitation', orgId, mailboxOf(address));
  const ids = [ofAll, ...addresses.map(keyOf)];
  const known = await mailPermitRows(ctx)
    .find({ _id: { $in: ids } }, { session: transaction })
    .toArray();
  const sentOf = new Map(known.map(({ _id, sent }) => [_id, sent]));
  const ofDay = (sentOf.get(ofAll) ?? []).filter((sent) => sent.getTime() > nowMs - DAY_MS);
  const permitted = new Set<string>();
  const taken = new Set<string>();
  for (const address of addresses) {
    const key = keyOf(address);
    const isRecent = sentOf.get(key)?.some((sent) => sent.getTime() > nowMs - HOUR_MS) ?? false;
    if (isRecent || taken.has(key) || ofDay.length + taken.size >= INVITATIONS_PER_DAY) continue;
    taken.add(key);
    permitted.add(address);
  }
  const row = (_id: string, sent: Date[]) =>
    replaceRow(mailPermitRows, { _id, sent, last_sent_at: now }, { upsert: true });
  const writes = [...taken].map((key) => row(key, [now]));
  const all = [...ofDay, ...Array.from(taken, () => now)];
  return { permitted, writes: taken.size === 0 ? [] : [...writes, row(ofAll, all)] };
}
