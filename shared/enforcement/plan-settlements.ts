import { dateAt } from '../platform/basics/clock.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import type { Signal } from '../signals/model.ts';
import { settlementKey, settlementRows } from './model.ts';

/**
 * The writes that settle the reservations which new signals name, in the signals' own transaction: from its commit on the
 * real cost counts. Redis learns of it with the next read of the organization. Pure.
 */
export function planSettlements(
  orgId: string,
  signals: readonly Pick<Signal, 'reservation_id'>[],
  nowMs: number,
): Write[] {
  const ids = new Set(signals.flatMap(({ reservation_id }) => reservation_id ?? []));
  return [...ids].map((reservation_id) =>
    updateRow(
      settlementRows,
      { _id: settlementKey(orgId, reservation_id) },
      { $setOnInsert: { org_id: orgId, reservation_id, settled_at: dateAt(nowMs) } },
      { upsert: true },
    ),
  );
}
