import type { ClientSession } from 'mongoose';
import { readRules } from '../../../core/limits/budgets/rules/rules.ts';
import type { Decision } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { secondShard } from '../../../platform/mongo/counter-shards.ts';
import { type Boundary, planFacts, type RecordedFacts } from './plan-facts.ts';

/**
 * Plans that boundaries of branches are recorded, with the moves that they cause, for the transaction that learns of them.
 * Boundaries that are known change nothing. Call `rememberFacts` with the result once it has committed.
 */
export async function planBoundaries(
  ctx: Context,
  orgId: string,
  boundaries: readonly Boundary[],
  transaction: ClientSession,
): Promise<Decision<RecordedFacts>> {
  const rules = await readRules(ctx, orgId, secondShard(), transaction);
  return planFacts(ctx, rules, { contexts: [], boundaries }, transaction);
}
