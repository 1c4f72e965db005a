import { evaluateBudgetsJob } from '../budgets/jobs.ts';
import type { Context } from '../platform/context/context.ts';
import { hear } from '../platform/context/hear.ts';
import { perContext } from '../platform/context/per-context.ts';
import { type Memory, type Recollection, rememberedFrom } from '../platform/context/remember.ts';
import { refreshStandings } from './refresh-standings.ts';
import type { Standing } from './standing.ts';

/** Organizations whose budgets a process remembers. */
const ORGANIZATIONS = 1_000;
/** An organization with more is read alone, so that the others do not wait for it. */
const FEW_BUDGETS = 1_000;

const memoryOf = rememberedFrom<Standing>('standings', refreshStandings, {
  max: ORGANIZATIONS,
  isSmall: ({ definitions }) => definitions.budgets.length <= FEW_BUDGETS,
});

/**
 * How the budgets of organizations stand, by organization id. A change of budgets by another process is read as soon as it is
 * published, at the latest with the next read of all.
 */
export const standings: (ctx: Context) => Memory<Standing> = perContext((ctx) => {
  const memory = memoryOf(ctx);
  const stop = hear(ctx, evaluateBudgetsJob, (orgId) => {
    if (memory.knows(orgId)) void memory.renew(orgId);
  });
  ctx.onClose(stop);
  return memory;
});

/** True when it is known what reservations held when the standing was asked for, or less than a second before. */
export function isReservedKnown({ value, oldestMs }: Omit<Recollection<Standing>, 'isFresh'>): boolean {
  return value.reserved !== null && value.reserved.readMs >= oldestMs;
}
