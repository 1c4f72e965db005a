import type { ClientSession } from 'mongoose';
import { readOrganization } from '../organizations/read-organization.ts';
import type { Context } from '../platform/context/context.ts';
import { applyWrites } from '../platform/mongo/writes.ts';
import { counterKey } from './keys.ts';
import { budgetRows } from './model.ts';
import { planRuleChange } from './plan-rule-change.ts';
import { recountCounter } from './recount.ts';

/**
 * Counts the budgets of teams again whose members change in this transaction, after the change: a team is its members
 * now, as in the usage reads. Signals that are recorded meanwhile see either the old team and its count or the new.
 */
export async function recountTeams(
  ctx: Context,
  orgId: string,
  teams: readonly string[],
  transaction: ClientSession,
): Promise<void> {
  if (teams.length === 0) return;
  const budgets = await budgetRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
  await applyWrites(ctx, planRuleChange(orgId, ctx.clock.now()).writes, transaction);
  const touched = budgets.filter(({ scope, scope_id }) => scope === 'team' && teams.includes(scope_id));
  if (touched.length === 0) return;
  const organization = await readOrganization(ctx, orgId, transaction);
  const counters = new Map(touched.map((budget) => [counterKey(budget), budget]));
  for (const counter of counters.values()) {
    const { writes } = await recountCounter(ctx, organization, counter, transaction);
    await applyWrites(ctx, writes, transaction);
  }
}
