import { DAY_MS } from '../../../platform/basics/interval.ts';
import { dayAt } from '../../../platform/basics/utc-days.ts';
import type { Context } from '../../../platform/context/context.ts';
import { repricingRows } from './model.ts';

/** Counts the calls that have a new price by repricings that changed a day of the organization at this time or next to it. */
export async function countApplied(
  ctx: Context,
  org_id: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number> {
  const [first, last] = [dayAt(fromMs - DAY_MS), dayAt(toMs + DAY_MS)];
  const state = { $in: ['applying' as const, 'applied' as const] };
  const rows = await repricingRows(ctx)
    .find({ org_id, state }, { projection: { applied: 1, days: 1 } })
    .toArray();
  const reaching = rows.filter(({ days }) =>
    days.some(({ day, changed }) => changed > 0 && first <= day && day <= last),
  );
  return reaching.reduce((sum, { applied }) => sum + applied, 0);
}
