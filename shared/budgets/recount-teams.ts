import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { dateAt } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import { applyWrites, updateRow } from '../platform/mongo/writes.ts';
import { counterKey } from './keys.ts';
import { type Budget, budgetRows } from './model.ts';
import { planRuleChange } from './plan-evaluation.ts';
import { planHistory } from './plan-history.ts';
import { readWindows } from './read-windows.ts';
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
  for (const sharing of Map.groupBy(touched, counterKey).values())
    await recountShared(ctx, organization, sharing, transaction);
}

/** Counts the one counter of these budgets. What that changes in windows that are over raises nothing. */
async function recountShared(
  ctx: Context,
  organization: Organization,
  budgets: readonly Budget[],
  transaction: ClientSession,
): Promise<void> {
  const nowMs = ctx.clock.now();
  const [counter] = budgets;
  if (!counter) return;
  const key = { org_id: organization._id, counter: counterKey(counter) };
  const found = await readWindows(ctx, key, transaction);
  const before = new Map(found.map((window) => [window.interval.startMs, window]));
  const { windows, writes } = await recountCounter(ctx, organization, counter, transaction);
  const history = budgets.flatMap((budget) => [
    updateRow(budgetRows, { _id: budget._id }, { $set: { counted_at: dateAt(nowMs) } }),
    ...planHistory(budget, windows, before, nowMs),
  ]);
  await applyWrites(ctx, [...writes, ...history], transaction);
}
