import { isDeepStrictEqual } from 'node:util';
import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { BUDGETS_PER_ORGANIZATION } from '../../../../platform/basics/contract.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { newId } from '../../../../platform/basics/ids.ts';
import { commitPlan, joinPlans } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { deleteRows, insertRow, replaceRow, type Write } from '../../../../platform/mongo/writes.ts';
import type { AuditAction } from '../../../accounts/audit/actions.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { beginCreation } from '../../../accounts/idempotency/creation.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import { planCountedHistory } from '../count/plan-history.ts';
import { readPersonWindows, readWindows } from '../count/read-windows.ts';
import { recountCounter } from '../count/recount.ts';
import { budgetWindowRows, personWindowRows } from '../rules/counted.ts';
import { budgetAlertRows, budgetFiringRows } from '../rules/fired.ts';
import { budgetHooks } from '../rules/hook.ts';
import type { BudgetChange, BudgetInput } from '../rules/input.ts';
import { counterKey } from '../rules/keys.ts';
import { type Budget, budgetRows, findBudget, personOverrideRows } from '../rules/model.ts';
import { planRuleChange } from '../rules/plan-evaluation.ts';
import { readExceptions } from '../rules/read-exceptions.ts';
import { refuseUnknownProviders } from '../rules/refuse-providers.ts';
import { inputOf } from '../rules/view.ts';
import { changedInput, DECISIVE_FIELDS, decideFields, OTHER_FIELDS } from './decide-fields.ts';
import { claimOwner } from './decide-owner.ts';

/**
 * Creates a budget together with its windows, counted from the rollups. Signals that arrive meanwhile are counted once.
 * Throws `invalid_request` for a scope that does not exist, `conflict` when there are too many.
 */
export async function createBudget(ctx: Context, orgId: string, input: BudgetInput): Promise<Budget> {
  return commitPlan(ctx, async (transaction) => {
    await beginCreation(ctx, 'bud', transaction);
    const organization = await readOrganization(ctx, orgId, transaction);
    const nowMs = ctx.clock.now();
    const fresh = freshBudget(organization, input, nowMs);
    await refuseTooMany(ctx, orgId, transaction);
    await refuseUnknownProviders(ctx, organization, fresh.filter, transaction);
    const { budget: created, writes: counts } = await planCount(ctx, organization, fresh, transaction);
    const claimed = await claimOwner(ctx, orgId, created.owner, transaction);
    const writes = [
      ...claimed,
      insertRow(budgetRows, created),
      ...counts,
      audit(ctx, 'budget.create', created),
    ];
    return { ...joinPlans(planRuleChange(orgId, nowMs), { writes }), result: created };
  });
}

/** The budget that an input makes, before anything is counted. Pure but for its id. Throws `invalid_request`. */
export function freshBudget(organization: Organization, input: BudgetInput, nowMs: number): Budget {
  return {
    _id: newId('bud'),
    org_id: organization._id,
    ...decideFields(organization, input, nowMs),
    revision: 1,
    counted_at: dateAt(nowMs),
    created_at: dateAt(nowMs),
    updated_at: dateAt(nowMs),
  };
}

/**
 * Changes a budget. A change of a field that its levels depend on (`DECISIVE_FIELDS`) raises its revision
 * and lets the levels of the open window fire again. Windows that are counted already stay. Throws `not_found`,
 * `invalid_request`, and `conflict` for another metric or scope while a raise is in force.
 */
export async function changeBudget(
  ctx: Context,
  orgId: string,
  budgetId: string,
  change: BudgetChange,
): Promise<Budget> {
  return commitPlan(ctx, async (transaction) => {
    const organization = await readOrganization(ctx, orgId, transaction);
    const before = await findBudget(ctx, orgId, budgetId, transaction);
    const nowMs = ctx.clock.now();
    const fields = await decideChange(
      ctx,
      organization,
      before,
      changedInput(before, change, nowMs),
      transaction,
    );
    const differs = differsFrom(before, fields);
    const isDecisive = DECISIVE_FIELDS.some(differs);
    if (!isDecisive && !OTHER_FIELDS.some(differs)) return { result: before };
    const changed: Budget = { ...before, ...fields, updated_at: dateAt(nowMs) };
    const again = { ...changed, revision: before.revision + 1, counted_at: dateAt(nowMs) };
    const { budget: after, writes: counts } = isDecisive
      ? await planCount(ctx, organization, again, transaction)
      : { budget: changed, writes: [] };
    const hasMoved = counterKey(after) !== counterKey(before);
    const left = hasMoved ? await planRemoval(ctx, before, transaction) : [];
    const claimed = differs('owner') ? await claimOwner(ctx, orgId, after.owner, transaction) : [];
    const writes = [
      ...claimed,
      replaceRow(budgetRows, after),
      ...left,
      ...counts,
      audit(ctx, 'budget.change', after),
    ];
    return { ...joinPlans(planRuleChange(orgId, nowMs), { writes }), result: after };
  });
}

/** The fields of a budget after its change to an input. Throws `invalid_request`, and `conflict` as `changeBudget` does. */
export async function decideChange(
  ctx: Context,
  organization: Organization,
  before: Budget,
  input: BudgetInput,
  transaction: ClientSession,
): Promise<ReturnType<typeof decideFields>> {
  const nowMs = ctx.clock.now();
  const fields = decideFields(organization, input, nowMs);
  const differs = differsFrom(before, fields);
  if (COUNTING_FIELDS.some(differs)) for (const hook of budgetHooks(ctx)) hook.keepCounting?.(before, nowMs);
  if (OVERRIDDEN_FIELDS.some(differs)) await refuseOverridden(ctx, before, transaction);
  if (differs('filter')) await refuseUnknownProviders(ctx, organization, fields.filter, transaction);
  return fields;
}

function differsFrom(before: Budget, fields: ReturnType<typeof decideFields>) {
  return (field: keyof typeof fields): boolean => !isDeepStrictEqual(fields[field], before[field] ?? null);
}

/** Fields that say in which unit a budget counts, and whom. Wings may rely on them. */
const COUNTING_FIELDS = ['metric', 'scope', 'scope_id', 'per'] as const;

/** Fields that the exceptions of people rely on: their thresholds are of the metric. */
const OVERRIDDEN_FIELDS = ['metric', 'per'] as const;

async function refuseOverridden(ctx: Context, { _id }: Budget, transaction: ClientSession): Promise<void> {
  const known = await personOverrideRows(ctx).findOne({ budget_id: _id }, { session: transaction });
  if (!known) return;
  throw new DomainError(
    'conflict',
    'People have an exception from this budget. Remove it before you change the metric or `per`.',
  );
}

/** Removes a budget with its history. Throws `not_found`. */
export async function removeBudget(ctx: Context, orgId: string, budgetId: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const budget = await findBudget(ctx, orgId, budgetId, transaction);
    const writes = [
      deleteRows(budgetRows, { _id: budgetId }),
      deleteRows(budgetFiringRows, { budget_id: budgetId }),
      deleteRows(budgetAlertRows, { budget_id: budgetId }),
      deleteRows(personOverrideRows, { budget_id: budgetId }),
      ...(await planRemoval(ctx, budget, transaction)),
      audit(ctx, 'budget.remove', budget),
    ];
    const plan = joinPlans(planRuleChange(orgId, ctx.clock.now()), { writes });
    return { ...plan, result: undefined };
  });
}

/** Removes the windows of a counter that a budget leaves and that no other shares. */
async function planRemoval(ctx: Context, budget: Budget, transaction: ClientSession): Promise<Write[]> {
  const { _id, org_id } = budget;
  const all = await budgetRows(ctx).find({ org_id }, { session: transaction }).toArray();
  const counter = counterKey(budget);
  const isShared = all.some((other) => other._id !== _id && counterKey(other) === counter);
  if (isShared) return [];
  if (budget.per) return [deleteRows(personWindowRows, { org_id, counter })];
  return [deleteRows(budgetWindowRows, { org_id, counter })];
}

async function refuseTooMany(ctx: Context, orgId: string, transaction: ClientSession): Promise<void> {
  const count = await budgetRows(ctx).countDocuments({ org_id: orgId }, { session: transaction });
  if (count < BUDGETS_PER_ORGANIZATION) return;
  throw new DomainError('conflict', `An organization may have ${BUDGETS_PER_ORGANIZATION} budgets.`);
}

/**
 * The writes that count a budget's windows from the rollups, unless another budget or this one as it was has the same counter
 * already. The budget is as it becomes.
 */
async function planCount(
  ctx: Context,
  organization: Organization,
  budget: Budget,
  transaction: ClientSession,
): Promise<{ budget: Budget; writes: Write[] }> {
  const { org_id, scope, scope_id, counted_from: _before, ...rest } = budget;
  const nowMs = ctx.clock.now();
  const key = { org_id, counter: counterKey(budget) };
  const ruled = { budget, exceptions: await readExceptions(ctx, budget, transaction) };
  const alike = await budgetRows(ctx).find({ org_id, scope, scope_id }, { session: transaction }).toArray();
  const [known] = alike
    .filter((other) => counterKey(other) === key.counter && daysOf(other) >= daysOf(budget))
    .toSorted((a, b) => (a.counted_from?.getTime() ?? 0) - (b.counted_from?.getTime() ?? 0));
  const own = { ...rest, org_id, scope, scope_id };
  if (known) {
    const windows = await (budget.per ? readPersonWindows : readWindows)(ctx, key, transaction);
    const from = known.counted_from ? { counted_from: known.counted_from } : {};
    return { budget: { ...own, ...from }, writes: planCountedHistory(ruled, windows, [], nowMs) };
  }
  const { fromMs, windows, writes } = await recountCounter(ctx, organization, budget, transaction);
  const history = planCountedHistory(ruled, windows, [], nowMs);
  return { budget: { ...own, counted_from: dateAt(fromMs) }, writes: [...writes, ...history] };
}

function daysOf({ rolling_days }: Budget): number {
  return rolling_days ?? 0;
}

function audit(ctx: Context, action: AuditAction, budget: Budget): Write {
  const { _id: budget_id, org_id, revision } = budget;
  const details = { budget_id, ...inputOf(budget), revision };
  return auditWrite(ctx, { action, org_id, details });
}
