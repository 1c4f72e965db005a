import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import { teamsByUser } from '../usage/teams.ts';
import { counterKey } from './keys.ts';
import { type Budget, budgetRows } from './model.ts';
import { planRuleChange } from './plan-evaluation.ts';
import { planHistory } from './plan-history.ts';
import { readWindows } from './read-windows.ts';
import { recountCounter } from './recount.ts';

/** The teams of a user before and after a change. */
export interface TeamChange {
  orgId: string;
  userId: string;
  before: readonly string[];
  after: readonly string[];
}

/**
 * The plan that recounts the budgets of teams that a user joins, stays in or leaves, in the transaction of that change: a team
 * is its present members, as in the usage reads. Signals that are recorded meanwhile see either the old team and its count or
 * the new.
 */
export async function planTeamChange(
  ctx: Context,
  { orgId, userId, before, after }: TeamChange,
  transaction: ClientSession,
): Promise<Plan> {
  const teams = [...new Set([...before, ...after])];
  if (teams.length === 0) return NO_PLAN;
  const change = planRuleChange(orgId, ctx.clock.now());
  const ofTeams = { org_id: orgId, scope: 'team' as const, scope_id: { $in: teams } };
  const budgets = await budgetRows(ctx).find(ofTeams, { session: transaction }).toArray();
  if (budgets.length === 0) return change;
  const organization = await readOrganization(ctx, orgId, transaction);
  const teamsOf = await teamsByUser(ctx, orgId, transaction);
  teamsOf.set(userId, [...after]);
  const writes: Write[] = [];
  for (const sharing of Map.groupBy(budgets, counterKey).values())
    writes.push(...(await recountShared(ctx, organization, { budgets: sharing, teamsOf }, transaction)));
  return joinPlans(change, { writes, wakeUps: [] });
}

/** The writes that recount the one counter of these budgets. Changes in windows that are over raise no events. */
async function recountShared(
  ctx: Context,
  organization: Organization,
  { budgets, teamsOf }: { budgets: readonly Budget[]; teamsOf: ReadonlyMap<string, readonly string[]> },
  transaction: ClientSession,
): Promise<Write[]> {
  const [counter] = budgets;
  if (!counter) return [];
  const nowMs = ctx.clock.now();
  const key = { org_id: organization._id, counter: counterKey(counter) };
  const found = await readWindows(ctx, key, transaction);
  const before = new Map(found.map((window) => [window.interval.startMs, window]));
  const { windows, writes } = await recountCounter(ctx, organization, counter, transaction, teamsOf);
  const history = budgets.flatMap((budget) => [
    updateRow(budgetRows, { _id: budget._id }, { $set: { counted_at: dateAt(nowMs) } }),
    ...planHistory(budget, windows, before, nowMs),
  ]);
  return [...writes, ...history];
}
