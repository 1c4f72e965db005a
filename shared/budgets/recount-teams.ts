import type { ClientSession } from 'mongoose';
import { readOrganization } from '../organizations/read-organization.ts';
import type { Context } from '../platform/context/context.ts';
import { holdAllGates } from './gate.ts';
import { tallyKey } from './keys.ts';
import { budgetRows } from './model.ts';
import { recountTally } from './recount.ts';

/**
 * Counts the budgets of teams anew whose members change in this transaction, after the change: a team is its members
 * now, as in the usage reads. Signals that are recorded meanwhile see either the old team and its count or the new.
 */
export async function recountTeams(
  ctx: Context,
  orgId: string,
  teams: readonly string[],
  transaction: ClientSession,
): Promise<void> {
  if (teams.length === 0) return;
  await holdAllGates(ctx, orgId, transaction);
  const budgets = await budgetRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
  const touched = budgets.filter(({ scope, scope_id }) => scope === 'team' && teams.includes(scope_id));
  if (touched.length === 0) return;
  const organization = await readOrganization(ctx, orgId, transaction);
  const tallies = new Map(touched.map((budget) => [tallyKey(budget), budget]));
  for (const tally of tallies.values()) await recountTally(ctx, organization, tally, transaction);
}
