import type { Context } from '../../../../platform/context/context.ts';
import { hear } from '../../../../platform/context/hear.ts';
import { perContext } from '../../../../platform/context/per-context.ts';
import {
  type Cached,
  type ReadThroughCache,
  readThroughCache,
} from '../../../../platform/context/read-through-cache.ts';
import { evaluateBudgetsJob } from '../../budgets/rules/jobs.ts';
import type { BudgetStatus } from './budget-status.ts';
import { refreshStatuses } from './refresh-status.ts';

/** Organizations whose status a process caches. */
const ORGANIZATIONS = 1_000;
/** An organization with more is read alone, so that the others do not wait for it. */
const FEW_BUDGETS = 1_000;

const cacheOf = readThroughCache<BudgetStatus>('budget status', refreshStatuses, {
  max: ORGANIZATIONS,
  isSmall: ({ rules }) => rules.limits.budgets.length <= FEW_BUDGETS,
  // It lacks windows that are open again, because the clock was ahead and has gone back.
  isOutdated: (ctx, { asOfMs }) => asOfMs > ctx.clock.now(),
});

/**
 * The status of organizations' budgets, by organization id. A change of budgets by another process is read as soon as it is
 * published, at the latest with the next read of all.
 */
export const statusCache: (ctx: Context) => ReadThroughCache<BudgetStatus> = perContext((ctx) => {
  const cache = cacheOf(ctx);
  const stop = hear(ctx, evaluateBudgetsJob, (orgId) => {
    if (cache.has(orgId)) void cache.renew(orgId);
  });
  ctx.onClose(stop);
  return cache;
});

/** Returns true when the reservations were read at most a second before the status was asked for. */
export function isReservedKnown({ value, oldestMs }: Omit<Cached<BudgetStatus>, 'isFresh'>): boolean {
  return value.reserved !== null && value.reserved.readMs >= oldestMs;
}
