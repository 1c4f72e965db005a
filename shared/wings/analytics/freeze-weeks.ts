import { forEachOrganization } from '../../core/accounts/organizations/for-each-organization.ts';
import type { Organization } from '../../core/accounts/organizations/model.ts';
import { earliestCountedMs } from '../../core/calls/usage/calendar.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import { type Frozen, freezeWeek } from './freeze-week.ts';
import { weekKey } from './frozen-cells.ts';
import { frozenWeekRows } from './model.ts';
import { firstSignalMs, freezableWeeks } from './weeks.ts';

/** Freezes the weeks of every organization: see `freezeAnalytics`. One that fails is left for the next run. */
export async function freezeAllAnalytics(ctx: Context): Promise<Frozen> {
  const total = { frozen: 0, restated: 0 };
  const lateSinceMs = earliestCountedMs(ctx.clock.now());
  await forEachOrganization(ctx, 'analytics were not frozen', async (organization) => {
    const { frozen, restated } = await freezeAnalytics(ctx, organization, { lateSinceMs });
    total.frozen += frozen;
    total.restated += restated;
  });
  return total;
}

/**
 * Freezes an organization's weeks that ended a day ago or earlier, as far back as signals are kept and as it could have
 * recorded any, also those in which nothing happened. Decides about late signals of those that end after `lateSinceMs`
 * (default: all of them). Repeating it changes nothing. A week that fails stops no other; the first failure is thrown at the
 * end.
 */
export async function freezeAnalytics(
  ctx: Context,
  organization: Organization,
  { lateSinceMs = 0 }: { lateSinceMs?: number } = {},
): Promise<Frozen> {
  const nowMs = ctx.clock.now();
  const sinceMs = nowMs - ctx.config.signalRetentionDays * DAY_MS;
  const weeks = freezableWeeks(organization, Math.max(sinceMs, firstSignalMs(organization)), nowMs);
  const ids = weeks.map(({ fromMs }) => weekKey(organization._id, fromMs));
  const known = await frozenWeekRows(ctx)
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray();
  const frozenIds = new Set(known.map(({ _id }) => _id));
  const result = { frozen: 0, restated: 0 };
  const failures: unknown[] = [];
  for (const week of weeks) {
    if (week.toMs <= lateSinceMs && frozenIds.has(weekKey(organization._id, week.fromMs))) continue;
    try {
      const { frozen, restated } = await freezeWeek(ctx, organization, week);
      result.frozen += frozen;
      result.restated += restated;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return result;
}
