import { NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import { deleteRows, insertRow, replaceRow, type Write } from '../../platform/mongo/writes.ts';
import { type Delivery, deliveryRows, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { wakeUpsOf } from './wake-deliveries.ts';

/** Plans what queued deliveries have become: changed in the queue, or finished and moved to the log. Wakes the pending. */
export function planProgress(rows: readonly (QueuedDelivery | Delivery)[]): Plan {
  const queued = rows.filter((row) => 'state' in row);
  const done = rows.filter((row) => 'status' in row);
  if (rows.length === 0) return NO_PLAN;
  return {
    writes: [
      ...queued.map((row) => replaceRow(queuedDeliveryRows, row)),
      ...(done.length === 0 ? [] : [deleteFrom(queuedDeliveryRows, done)]),
      ...done.map((row) => insertRow(deliveryRows, row)),
    ],
    wakeUps: wakeUpsOf(queued.filter(({ state }) => state === 'pending')),
  };
}

/** Plans that finished deliveries leave the log and are queued again. Wakes the pending. */
export function planReturn(rows: readonly QueuedDelivery[]): Plan {
  if (rows.length === 0) return NO_PLAN;
  return {
    writes: [deleteFrom(deliveryRows, rows), ...rows.map((row) => insertRow(queuedDeliveryRows, row))],
    wakeUps: wakeUpsOf(rows.filter(({ state }) => state === 'pending')),
  };
}

function deleteFrom(
  collection: typeof queuedDeliveryRows | typeof deliveryRows,
  rows: readonly { _id: string; webhook_id: string }[],
): Write {
  return deleteRows(collection as typeof deliveryRows, {
    _id: { $in: rows.map(({ _id }) => _id) },
    webhook_id: { $in: [...new Set(rows.map(({ webhook_id }) => webhook_id))] },
  });
}
