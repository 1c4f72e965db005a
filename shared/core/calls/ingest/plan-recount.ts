import type { ClientSession } from 'mongoose';
import { joinPlans, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { guardOrganizationRules } from '../../accounts/organizations/versions.ts';
import { planRecountedWindows, type Recounted } from '../../limits/budgets/fire/plan-recounted.ts';
import type { Rules } from '../../limits/budgets/rules/rules.ts';
import { timeoutMsOf } from '../sessions/assign.ts';
import { planSessions } from '../sessions/plan-sessions.ts';
import { planMovedRollups } from '../usage/plan-rollups.ts';

/**
 * The plan by which everything that counts signals counts them otherwise from now on: their sessions, the rollups, the marks on
 * snapshots, and the windows of budgets. The signals themselves are the caller's. It belongs in the transaction that changes them.
 */
export async function planRecount(
  ctx: Context,
  rules: Rules,
  recounted: Recounted,
  shard: number,
  transaction: ClientSession,
): Promise<Plan> {
  const { organization } = rules;
  const windows = await planRecountedWindows(ctx, rules, recounted, shard, transaction);
  const writes = [
    // It conflicts with a change of budgets, teams or timezone that this transaction does not see.
    guardOrganizationRules(organization._id, shard),
    ...planMovedRollups(organization, recounted, ctx.clock.now()),
  ];
  const sessions = planSessions(recounted.sessions, timeoutMsOf(organization));
  return joinPlans({ writes }, ...sessions, windows);
}
