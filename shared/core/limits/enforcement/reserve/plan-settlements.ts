import { dateAt } from '../../../../platform/basics/clock.ts';
import { updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import type { Draft } from '../../../calls/signals/check-signal.ts';
import { nameOfUser } from '../state/budget-status.ts';
import { settlementKey, settlementRows } from '../state/model.ts';

/**
 * The writes that settle the reservations which new signals name, in the signals' own transaction: from its commit on the
 * real cost counts. Redis learns of it with the next read of the organization. Pure.
 */
export function planSettlements(
  orgId: string,
  signals: readonly Pick<Draft, 'reservation_id' | 'settles_own' | 'user_id'>[],
  nowMs: number,
): Write[] {
  const settled = new Map<string, { reservation_id: string; user?: string }>();
  for (const { reservation_id, settles_own, user_id } of signals) {
    if (reservation_id === undefined) continue;
    const user = settles_own ? nameOfUser(orgId, user_id) : undefined;
    const of = { reservation_id, ...(user === undefined ? {} : { user }) };
    settled.set(settlementKey(orgId, reservation_id, user), of);
  }
  return [...settled].map(([_id, of]) =>
    updateRow(
      settlementRows,
      { _id },
      { $setOnInsert: { org_id: orgId, ...of, settled_at: dateAt(nowMs) } },
      { upsert: true },
    ),
  );
}
