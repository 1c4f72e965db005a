import type { Context } from '../platform/context/context.ts';
import { rememberedFrom } from '../platform/context/remember.ts';
import { judge, type Verdict } from './judge.ts';
import { readStandings } from './read-standings.ts';
import { type Caller, openBudgetsOf, type Standing } from './standing.ts';

/** Organizations whose budgets a process remembers. */
const ORGANIZATIONS = 1_000;
/** How long a check waits for a store that does not answer. Milliseconds. */
const PATIENCE_MS = 50;

const standings = rememberedFrom<Standing>('standings', readStandings, { max: ORGANIZATIONS });

/**
 * Whether a call fits into the budgets that it counts in, from memory. `estimateNusd` is what it will cost, null when
 * nobody knows. While usage cannot be read, each hard budget's `on_error` decides. Throws a store error when this process
 * has not read the organization's budgets in the last 10 minutes.
 */
export async function checkBudgets(
  ctx: Context,
  caller: Caller,
  estimateNusd: number | null,
): Promise<Verdict> {
  const recollection = await standings(ctx).recall(caller.orgId, PATIENCE_MS);
  if (!recollection) return judge([], { estimateNusd, isFresh: true });
  const open = openBudgetsOf(recollection.value, caller, ctx.clock.now());
  return judge(open, { estimateNusd, isFresh: recollection.isFresh });
}
