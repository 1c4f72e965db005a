import type { Context } from '../platform/context/context.ts';
import { type Memory, rememberedFrom } from '../platform/context/remember.ts';
import { refreshStandings } from './refresh-standings.ts';
import type { Standing } from './standing.ts';

/** Organizations whose budgets a process remembers. */
const ORGANIZATIONS = 1_000;
/** An organization with more is read alone, so that the others do not wait for it. */
const FEW_BUDGETS = 1_000;
/** What Redis said longer ago is not fresh. Milliseconds. */
const FRESH_MS = 1_000;

/** How the budgets of organizations stand, by organization id. */
export const standings: (ctx: Context) => Memory<Standing> = rememberedFrom<Standing>(
  'standings',
  refreshStandings,
  { max: ORGANIZATIONS, isSmall: ({ definitions }) => definitions.budgets.length <= FEW_BUDGETS },
);

/** Whether it is known what reservations hold. */
export function isReservedKnown({ reserved }: Standing): boolean {
  return reserved !== null && performance.now() - reserved.readMs <= FRESH_MS;
}
