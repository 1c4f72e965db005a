import { HELD_DELIVERIES } from '../../../../platform/basics/contract.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { finished, queuedDeliveryRows } from './model.ts';
import { planProgress } from './plan-progress.ts';

const EXPIRED_AT_ONCE = 500;

/** Expires the oldest deliveries of each webhook that holds more than `most`. Returns how many expired. */
export async function expireHeld(ctx: Context, most = HELD_DELIVERIES): Promise<number> {
  const crowded = await queuedDeliveryRows(ctx)
    .aggregate<{ _id: string }>([
      { $match: { state: 'held' } },
      { $group: { _id: '$webhook_id', held: { $sum: 1 } } },
      { $match: { held: { $gt: most } } },
    ])
    .toArray();
  let expired = 0;
  for (const { _id } of crowded) {
    let count = EXPIRED_AT_ONCE;
    while (count === EXPIRED_AT_ONCE) {
      count = await expireOldest(ctx, _id, most);
      expired += count;
    }
  }
  return expired;
}

/**
 * Expires the oldest that a webhook holds beyond `most`, some per transaction. Each transaction counts anew, because
 * another worker may have expired or sent some of them. Returns how many expired.
 */
async function expireOldest(ctx: Context, webhookId: string, most: number): Promise<number> {
  const held = { webhook_id: webhookId, state: 'held' as const };
  return commitPlan(ctx, async (transaction) => {
    const limit = most + EXPIRED_AT_ONCE;
    const count = await queuedDeliveryRows(ctx).countDocuments(held, { limit, session: transaction });
    if (count <= most) return { result: 0 };
    const oldest = await queuedDeliveryRows(ctx)
      .find(held, { session: transaction })
      .sort({ at: 1 })
      .limit(count - most)
      .toArray();
    const expired = oldest.map((row) => finished(row, 'expired', ctx.clock.now()));
    return { ...planProgress(expired), result: oldest.length };
  });
}
