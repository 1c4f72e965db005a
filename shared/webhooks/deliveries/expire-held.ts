import { HELD_DELIVERIES } from '../../platform/basics/contract.ts';
import { commitPlan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { finished, queuedDeliveryRows } from './model.ts';
import { replaceQueued } from './replace-queued.ts';

const EXPIRED_AT_ONCE = 500;

/** Expires the oldest deliveries of each webhook that holds more than it may. Returns how many expired. */
export async function expireHeld(ctx: Context, most = HELD_DELIVERIES): Promise<number> {
  const crowded = await queuedDeliveryRows(ctx)
    .aggregate<{ _id: string; held: number }>([
      { $match: { state: 'held' } },
      { $group: { _id: '$webhook_id', held: { $sum: 1 } } },
      { $match: { held: { $gt: most } } },
    ])
    .toArray();
  let expired = 0;
  for (const { _id, held } of crowded)
    for (let surplus = held - most; surplus > 0; surplus -= EXPIRED_AT_ONCE)
      expired += await expireOldest(ctx, _id, Math.min(surplus, EXPIRED_AT_ONCE));
  return expired;
}

async function expireOldest(ctx: Context, webhookId: string, count: number): Promise<number> {
  return commitPlan(ctx, async (transaction) => {
    const oldest = await queuedDeliveryRows(ctx)
      .find({ webhook_id: webhookId, state: 'held' }, { session: transaction })
      .sort({ at: 1 })
      .limit(count)
      .toArray();
    const expired = oldest.map((row) => finished(row, 'expired', ctx.clock.now()));
    return { ...replaceQueued(expired), result: oldest.length };
  });
}
