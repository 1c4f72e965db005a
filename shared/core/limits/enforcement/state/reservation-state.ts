import type { Context } from '../../../../platform/context/context.ts';
import { callReservations } from './call-reservations.ts';
import { reservationStateRows } from './model.ts';

/** The state of an organization's reservations in Redis, read before its amounts. */
export interface RedisState {
  isOpen: boolean;
  /** Redis' clock then. */
  redisMs: number;
  /** The identity of the data that this Redis holds. */
  identity: string;
  /** How often reservations were made or forgotten in it. */
  seq: number;
}

/** Reads the state of an organization's reservations. Throws as `callReservations`. */
export async function readReservationState(ctx: Context, orgId: string): Promise<RedisState> {
  const { code, redisMs, values } = await callReservations(ctx, 'read-state', orgId, []);
  const [identity = '', seq] = values;
  return { isOpen: code === 'open', redisMs, identity, seq: Number(seq) };
}

/**
 * Opens an organization's reservations for the data of this Redis: after a start, a failover, or the first time. From then
 * on no other Redis may take any (`reservation_marks`). A Redis with fewer changes than the record was emptied or is older:
 * its lost reservations count as spent until they would have ended.
 */
export async function openReservations(ctx: Context, orgId: string, found: RedisState): Promise<void> {
  const recorded = await reservationStateRows(ctx).findOneAndUpdate(
    { _id: orgId },
    { $set: { epoch: found.identity }, $setOnInsert: { seq: 0, held: '' } },
    { upsert: true, returnDocument: 'after' },
  );
  const isLost = recorded !== null && found.seq < recorded.seq;
  if (isLost)
    ctx.log.warn({ org_id: orgId, had: recorded.seq, has: found.seq }, 'Redis has lost reservations');
  const lost = isLost ? [recorded.seq, ...recorded.held.split(' ').filter(Boolean)] : [''];
  await callReservations(ctx, 'open', orgId, [found.identity, ...lost]);
}

/** Records the state of this Redis. One that was displaced, or that is behind, changes nothing. */
export async function recordReservationState(
  ctx: Context,
  orgId: string,
  { identity, seq, held }: { identity: string; seq: number; held: string },
): Promise<void> {
  const isLater = { $and: [{ $eq: ['$epoch', identity] }, { $lte: ['$seq', seq] }] };
  const next = { $mergeObjects: ['$$ROOT', { seq, held: { $literal: held } }] };
  await reservationStateRows(ctx).updateOne({ _id: orgId }, [
    { $replaceWith: { $cond: [isLater, next, '$$ROOT'] } },
  ]);
}
