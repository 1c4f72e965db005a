import type { ClientSession } from 'mongoose';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { commitPlan, joinPlans } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { deleteRows, replaceRow, type Write } from '../../../../platform/mongo/writes.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { findSubscribers } from '../../../events/webhooks/endpoints/find-subscribers.ts';
import { planCountedHistory } from '../count/plan-history.ts';
import { readPersonWindows } from '../count/read-windows.ts';
import { skipAlerts } from '../fire/plan-alerts.ts';
import { asksForAlerts, evaluateAlerts } from '../rules/evaluate-alerts.ts';
import { counterKey, overrideKey } from '../rules/keys.ts';
import { type Budget, findBudget, type PersonOverride, personOverrideRows } from '../rules/model.ts';
import { budgetOfPerson, exceptionsOf } from '../rules/people.ts';
import { planRuleChange } from '../rules/plan-evaluation.ts';
import { limitOf } from './decide-fields.ts';

const MOST_OVERRIDES = 5_000;

/** A person's exception from a template: another threshold, or none at all. */
export type PersonInput = { threshold: number } | { exempt: true };

/**
 * Sets the exception of one person from a template, in place of the one that there may be. Throws `not_found`, `invalid_request`,
 * and `conflict` where the budget is no template or has as many exceptions as it may.
 */
export async function setPerson(
  ctx: Context,
  orgId: string,
  { budgetId, userId }: { budgetId: string; userId: string },
  input: PersonInput,
): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const budget = await findTemplate(ctx, orgId, budgetId, transaction);
    const limit = 'threshold' in input ? limitOf(budget.metric, input.threshold) : null;
    const row: PersonOverride = {
      _id: overrideKey(budgetId, userId),
      org_id: orgId,
      budget_id: budgetId,
      user_id: userId,
      limit,
    };
    const known = await personOverrideRows(ctx).findOne({ _id: row._id }, { session: transaction });
    if (known?.limit === limit) return { result: undefined };
    if (!known) await refuseTooMany(ctx, budgetId, transaction);
    const details = { budget_id: budgetId, user_id: userId, metric: budget.metric, ...input };
    const writes = [
      ...(await planPersonHistory(ctx, budget, { userId, overrides: [row] }, transaction)),
      replaceRow(personOverrideRows, row, { upsert: true }),
      auditWrite(ctx, { action: 'budget.set_person', org_id: orgId, details }),
    ];
    const plan = joinPlans(planRuleChange(orgId, ctx.clock.now()), { writes });
    return { ...plan, result: undefined };
  });
}

/** Ends the exception of one person from a template; there may be none. Throws `not_found`, and `conflict` where it is none. */
export async function removePerson(
  ctx: Context,
  orgId: string,
  { budgetId, userId }: { budgetId: string; userId: string },
): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const budget = await findTemplate(ctx, orgId, budgetId, transaction);
    const _id = overrideKey(budgetId, userId);
    const known = await personOverrideRows(ctx).findOne({ _id }, { session: transaction });
    if (!known) return { result: undefined };
    const details = { budget_id: budgetId, user_id: userId };
    const writes = [
      ...(await planPersonHistory(ctx, budget, { userId, overrides: [] }, transaction)),
      deleteRows(personOverrideRows, { _id }),
      auditWrite(ctx, { action: 'budget.remove_person', org_id: orgId, details }),
    ];
    const plan = joinPlans(planRuleChange(orgId, ctx.clock.now()), { writes });
    return { ...plan, result: undefined };
  });
}

/** The writes by which a person's closed windows raise nothing, level or alert, for what the new threshold reaches already. */
async function planPersonHistory(
  ctx: Context,
  budget: Budget,
  { userId, overrides }: { userId: string; overrides: readonly PersonOverride[] },
  transaction: ClientSession,
): Promise<Write[]> {
  const ruled = { budget, exceptions: exceptionsOf(budget, overrides) };
  const own = budgetOfPerson(ruled, userId);
  if (own === null) return [];
  const { org_id } = budget;
  const nowMs = ctx.clock.now();
  const of = { org_id, counter: counterKey(budget), person: userId };
  const windows = await readPersonWindows(ctx, of, transaction);
  const closed = windows.filter(({ interval }) => interval.endMs <= nowMs);
  const { webhooks } = await findSubscribers(ctx, org_id, transaction);
  const alerts = evaluateAlerts(webhooks.filter(asksForAlerts), [{ budget: own, windows: closed }], nowMs);
  return [...planCountedHistory(ruled, closed, [], nowMs), ...skipAlerts([...alerts].flat(), nowMs)];
}

async function findTemplate(
  ctx: Context,
  orgId: string,
  budgetId: string,
  transaction: ClientSession,
): Promise<Budget> {
  const budget = await findBudget(ctx, orgId, budgetId, transaction);
  if (budget.per) return budget;
  throw new DomainError(
    'conflict',
    'This budget counts its people together. Only one with `per` has people of its own.',
  );
}

async function refuseTooMany(ctx: Context, budget_id: string, transaction: ClientSession): Promise<void> {
  const count = await personOverrideRows(ctx).countDocuments({ budget_id }, { session: transaction });
  if (count < MOST_OVERRIDES) return;
  throw new DomainError('conflict', `A budget may have ${MOST_OVERRIDES} people with an exception.`);
}
