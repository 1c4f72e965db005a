import type { ClientSession } from 'mongoose';
import type { Context } from '../../platform/context/context.ts';
import { afterCommit } from '../../platform/mongo/transaction.ts';
import { type Delivery, deliveryRows, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { wakeDeliveries } from './wake-deliveries.ts';

/**
 * Puts deliveries in place of the queued ones of their ids: rows change by delete and insert (docs/stores.md). Those
 * that are due are woken by the commit.
 */
export async function replaceQueued(
  ctx: Context,
  rows: readonly (QueuedDelivery | Delivery)[],
  transaction: ClientSession,
): Promise<void> {
  const queued = rows.filter((row) => 'state' in row);
  const done = rows.filter((row) => 'status' in row);
  const ids = rows.map(({ _id }) => _id);
  await queuedDeliveryRows(ctx).deleteMany({ _id: { $in: ids } }, { session: transaction });
  const options = { session: transaction, ordered: false };
  if (queued.length > 0) await queuedDeliveryRows(ctx).insertMany(queued, options);
  if (done.length > 0) await deliveryRows(ctx).insertMany(done, options);
  const pending = queued.filter(({ state }) => state === 'pending');
  if (pending.length > 0) afterCommit(transaction, () => wakeDeliveries(ctx, pending));
}
