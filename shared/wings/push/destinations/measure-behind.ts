import { daysBetween, lastFinishedDay } from '../../../platform/basics/utc-days.ts';
import type { Context } from '../../../platform/context/context.ts';
import { exportBehindDays } from './metrics.ts';
import { destinationRows } from './model.ts';

/** Measures how far the destination is behind that lacks the most days. */
export async function measureBehind(ctx: Context): Promise<void> {
  const [first] = await destinationRows(ctx)
    .find({ enabled: true })
    .sort({ through: 1 })
    .limit(1)
    .project<{ through: string }>({ through: 1 })
    .toArray();
  exportBehindDays(ctx).set(first ? daysBetween(first.through, lastFinishedDay(ctx.clock.now())) : 0);
}
