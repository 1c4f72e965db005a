import type { Context } from '../platform/context/context.ts';
import { callReservations } from './call-reservations.ts';
import { reservationMarkRows } from './model.ts';

/** What a look at an organization's reservations found, before its amounts were read. */
export interface Look {
  isOpen: boolean;
  /** Redis' clock then. */
  redisMs: number;
  /** Of the data that this Redis holds. */
  identity: string;
  /** How often reservations were made or forgotten in it. */
  seq: number;
}

/** Looks at an organization's reservations. Throws as `callReservations`. */
export async function lookAtReservations(ctx: Context, orgId: string): Promise<Look> {
  const { code, redisMs, values } = await callReservations(ctx, 'look', orgId, []);
  const [identity = '', seq] = values;
  return { isOpen: code === 'open', redisMs, identity, seq: Number(seq) };
}

/**
 * Opens an organization's reservations for the data of this Redis: after a start, a failover, or the first time. From then
 * on no other Redis may take any (`reservation_marks`). When this one has fewer than the record knows, it was emptied or is
 * older: what was open there counts as spent until it would have ended.
 */
export async function openReservations(ctx: Context, orgId: string, look: Look): Promise<void> {
  const marks = reservationMarkRows(ctx);
  const fresh = { seq: 0, held: '' };
  await marks.updateOne(
    { _id: orgId },
    { $set: { epoch: look.identity }, $setOnInsert: fresh },
    { upsert: true },
  );
  const mark = await marks.findOne({ _id: orgId });
  const isLost = mark !== null && look.seq < mark.seq;
  if (isLost) ctx.log.warn({ org_id: orgId, had: mark.seq, has: look.seq }, 'Redis has lost reservations');
  const lost = isLost ? [mark.seq, ...mark.held.split(' ').filter(Boolean)] : [''];
  await callReservations(ctx, 'open', orgId, [look.identity, ...lost]);
}

/** Records how far this Redis is. One that was displaced, or that is behind, changes nothing. */
export async function markReservations(
  ctx: Context,
  orgId: string,
  { identity, seq, held }: { identity: string; seq: number; held: string },
): Promise<void> {
  const isLater = { $and: [{ $eq: ['$epoch', identity] }, { $lte: ['$seq', seq] }] };
  const next = { $mergeObjects: ['$$ROOT', { seq, held: { $literal: held } }] };
  await reservationMarkRows(ctx).updateOne({ _id: orgId }, [
    { $replaceWith: { $cond: [isLater, next, '$$ROOT'] } },
  ]);
}
