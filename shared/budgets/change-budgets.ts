import type { ClientSession } from 'mongoose';
import { recordAudit } from '../audit/record-audit.ts';
import type { Organization } from '../organizations/model.ts';
import { readOrganization, timezoneAt } from '../organizations/read-organization.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { newId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { nusdFromUsd } from '../pricing/money.ts';
import { amountOf, levelsReached, mayFire } from './evaluate.ts';
import { holdAllGates } from './gate.ts';
import type { BudgetChange, BudgetInput } from './input.ts';
import { firingKey, tallyKey } from './keys.ts';
import {
  type Budget,
  type BudgetFiring,
  type BudgetMetric,
  budgetFiringRows,
  budgetRows,
  budgetWindowRows,
} from './model.ts';
import { type CountedWindow, recountTally } from './recount.ts';
import { thresholdOf } from './view.ts';
import { wakeEvaluation } from './wake-evaluation.ts';

const BUDGETS_PER_ORGANIZATION = 5_000;

/**
 * Creates a budget together with its windows, counted from the rollups. Signals that arrive meanwhile are counted once.
 * Throws `invalid_request` for a scope that does not exist, `conflict` when there are too many.
 */
export async function createBudget(ctx: Context, orgId: string, input: BudgetInput): Promise<Budget> {
  const budget = await inTransaction(ctx.db, async (transaction) => {
    await holdAllGates(ctx, orgId, transaction);
    const organization = await readOrganization(ctx, orgId, transaction);
    const now = new Date(ctx.clock.now());
    const created: Budget = {
      _id: newId('bud'),
      org_id: orgId,
      ...decided(organization, input, now.getTime()),
      revision: 1,
      created_at: now,
      updated_at: now,
    };
    await refuseTooMany(ctx, orgId, transaction);
    await budgetRows(ctx).insertOne(created, { session: transaction });
    await countAnew(ctx, organization, created, transaction);
    await audit(ctx, 'budget.create', created, transaction);
    return created;
  });
  wakeEvaluation(ctx, orgId);
  return budget;
}

/**
 * Changes a budget. Whatever decides anything (all but the name) raises its revision, counts its windows anew and lets
 * the levels of the open window fire again. Throws `not_found`, `invalid_request`.
 */
export async function changeBudget(
  ctx: Context,
  orgId: string,
  budgetId: string,
  change: BudgetChange,
): Promise<Budget> {
  const budget = await inTransaction(ctx.db, async (transaction) => {
    await holdAllGates(ctx, orgId, transaction);
    const organization = await readOrganization(ctx, orgId, transaction);
    const before = await readOwn(ctx, orgId, budgetId, transaction);
    const now = new Date(ctx.clock.now());
    const fields = decided(organization, { ...inputOf(before), ...given(change, orgId) }, now.getTime());
    const isDecisive = DECISIVE.some((field) => fields[field] !== before[field]);
    if (!isDecisive && fields.name === before.name) return before;
    const revision = before.revision + Number(isDecisive);
    const after: Budget = { ...before, ...fields, revision, updated_at: now };
    await budgetRows(ctx).replaceOne({ _id: after._id }, after, { session: transaction });
    if (isDecisive) await countAnew(ctx, organization, after, transaction);
    await audit(ctx, 'budget.change', after, transaction);
    return after;
  });
  wakeEvaluation(ctx, orgId);
  return budget;
}

/** Removes a budget: it fires no more. Throws `not_found`. */
export async function removeBudget(ctx: Context, orgId: string, budgetId: string): Promise<void> {
  await inTransaction(ctx.db, async (transaction) => {
    await holdAllGates(ctx, orgId, transaction);
    const budget = await readOwn(ctx, orgId, budgetId, transaction);
    await budgetRows(ctx).deleteOne({ _id: budgetId }, { session: transaction });
    await budgetFiringRows(ctx).deleteMany({ budget_id: budgetId }, { session: transaction });
    const others = await budgetRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
    const tally = tallyKey(budget);
    if (!others.some((other) => tallyKey(other) === tally)) {
      await budgetWindowRows(ctx).deleteMany({ org_id: orgId, tally }, { session: transaction });
    }
    await audit(ctx, 'budget.remove', budget, transaction);
  });
}

type Decided = Pick<Budget, 'name' | 'scope' | 'scope_id' | 'metric' | 'limit' | 'window' | 'timezone'>;
const DECISIVE = ['scope', 'scope_id', 'metric', 'limit', 'window', 'timezone'] as const;

function decided(organization: Organization, input: BudgetInput, nowMs: number): Decided {
  const { name, scope, metric, window, threshold } = input;
  return {
    name,
    scope,
    scope_id: knownScopeId(organization, input),
    metric,
    limit: limitOf(metric, threshold),
    window,
    timezone: input.timezone ?? timezoneAt(organization, nowMs),
  };
}

/** Organizations and teams have a registry; users and projects are free text (design 4). */
function knownScopeId(organization: Organization, { scope, scope_id }: BudgetInput): string {
  const id = scope_id ?? (scope === 'org' ? organization._id : undefined);
  if (id === undefined) throw refused('scope_id', `is needed for the scope ${scope}`);
  if (scope === 'org' && id !== organization._id) throw refused('scope_id', 'is no organization of this key');
  if (scope === 'team' && !organization.teams.includes(id))
    throw refused('scope_id', 'is no team of this organization');
  return id;
}

function limitOf(metric: BudgetMetric, threshold: number): number {
  const limit = metric === 'cost_usd' ? nusdFromUsd(threshold) : threshold;
  if (limit === null || limit > Number.MAX_SAFE_INTEGER) {
    const most = metric === 'cost_usd' ? '9,007,199 US dollars' : '9,007,199,254,740,991';
    throw refused('threshold', `may be at most ${most}`);
  }
  if (limit === 0) throw refused('threshold', 'must be at least a billionth of a US dollar');
  return limit;
}

function refused(field: string, detail: string): DomainError {
  const errors = [{ pointer: `/${field}`, detail }];
  return new DomainError('invalid_request', `The budget is not valid: ${field} ${detail}.`, { errors });
}

function inputOf(budget: Budget): BudgetInput {
  const { name, scope, scope_id, metric, window, timezone } = budget;
  return { name, scope, scope_id, metric, window, timezone, threshold: thresholdOf(budget) };
}

/** Without what was left out; a change to the scope `org` needs no id. */
function given(change: BudgetChange, orgId: string): Partial<BudgetInput> {
  const named = change.scope === 'org' && change.scope_id === undefined ? { scope_id: orgId } : {};
  const present = Object.entries({ ...change, ...named }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present);
}

async function readOwn(
  ctx: Context,
  orgId: string,
  budgetId: string,
  transaction: ClientSession,
): Promise<Budget> {
  const budget = await budgetRows(ctx).findOne({ _id: budgetId }, { session: transaction });
  if (budget?.org_id !== orgId) throw new DomainError('not_found', 'There is no such budget.');
  return budget;
}

async function refuseTooMany(ctx: Context, orgId: string, transaction: ClientSession): Promise<void> {
  const count = await budgetRows(ctx).countDocuments({ org_id: orgId }, { session: transaction });
  if (count < BUDGETS_PER_ORGANIZATION) return;
  throw new DomainError('conflict', `An organization may have ${BUDGETS_PER_ORGANIZATION} budgets.`);
}

/** What has gone by is history: a level that a closed window had reached already raises no event now. */
async function countAnew(
  ctx: Context,
  organization: Organization,
  budget: Budget,
  transaction: ClientSession,
): Promise<void> {
  const windows = await recountTally(ctx, organization, budget, transaction);
  const now = new Date(ctx.clock.now());
  const closed = windows.filter(
    ({ period }) => period.endMs <= now.getTime() && mayFire(period, now.getTime()),
  );
  const firings = closed.flatMap((window) => silentFirings(budget, window, now));
  if (firings.length > 0) await budgetFiringRows(ctx).insertMany(firings, { session: transaction });
}

function silentFirings(budget: Budget, { period, usage }: CountedWindow, now: Date): BudgetFiring[] {
  return levelsReached(amountOf(budget.metric, usage), budget.limit).map((level) => ({
    _id: firingKey(budget, period.startMs, level),
    org_id: budget.org_id,
    budget_id: budget._id,
    revision: budget.revision,
    level,
    window_start: new Date(period.startMs),
    window_end: new Date(period.endMs),
    event_id: null,
    fired_at: now,
  }));
}

async function audit(
  ctx: Context,
  action: string,
  budget: Budget,
  transaction: ClientSession,
): Promise<void> {
  const { _id, name, scope, scope_id, metric, window, timezone, revision } = budget;
  const details = { budget_id: _id, name, scope, scope_id, metric, window, timezone, revision };
  await recordAudit(
    ctx,
    { action, org_id: budget.org_id, details: { ...details, threshold: thresholdOf(budget) } },
    transaction,
  );
}
