import { NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import { deleteRows, insertRow } from '../../platform/mongo/writes.ts';
import { type Delivery, deliveryRows, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { wakeUpsOf } from './wake-deliveries.ts';

/**
 * A plan that puts deliveries in place of the queued ones of their ids: rows change by delete and insert
 * (docs/stores.md). Those that are due are woken.
 */
export function replaceQueued(rows: readonly (QueuedDelivery | Delivery)[]): Plan {
  if (rows.length === 0) return NO_PLAN;
  const queued = rows.filter((row) => 'state' in row);
  const done = rows.filter((row) => 'status' in row);
  return {
    writes: [
      deleteRows(
        queuedDeliveryRows,
        { _id: { $in: rows.map(({ _id }) => _id) } },
        { webhook_id: { $in: [...new Set(rows.map(({ webhook_id }) => webhook_id))] } },
      ),
      ...queued.map((row) => insertRow(queuedDeliveryRows, row)),
      ...done.map((row) => insertRow(deliveryRows, row)),
    ],
    wakeUps: wakeUpsOf(queued.filter(({ state }) => state === 'pending')),
  };
}
