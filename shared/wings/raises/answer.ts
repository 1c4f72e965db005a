import type { ClientSession } from 'mongoose';
import { confirmActor } from '../../core/accounts/keys/confirm-actor.ts';
import type { Person } from '../../core/hooks/wing.ts';
import { type Budget, budgetRows } from '../../core/limits/budgets/rules/model.ts';
import { budgetOfPerson } from '../../core/limits/budgets/rules/people.ts';
import { readExceptions } from '../../core/limits/budgets/rules/read-exceptions.ts';
import { NEVER_MS, windowAt } from '../../core/limits/budgets/rules/windows.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DomainError, invalid } from '../../platform/basics/errors.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { commitPlan, type Decision, joinPlans } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { limitFrom, refusedAmount } from './amounts.ts';
import { raisesChanged } from './metrics.ts';
import { type Raise, raisedScope, stateAt } from './model.ts';
import { NOTES_KEPT_MS, planInForce, planState } from './plan-change.ts';
import { planAnswered } from './plan-told.ts';
import { readRaise } from './read-raises.ts';
import type { ApprovalInput } from './view.ts';

/** An admin of the organization. */
export interface Approver extends Person {
  accountId: string;
}

/**
 * Approves a pending raise: from the commit on the budget's limit includes it until it ends. The state of the raise and the
 * role of the admin are those of the transaction, so of several answers at one time one commits. The same approval again
 * changes nothing. Throws `not_found`, `own_request`, `missing_scope`, `invalid_request`, and `conflict` with `raise_status`
 * for one that was answered.
 */
export async function approveRaise(
  ctx: Context,
  admin: Approver,
  id: string,
  input: ApprovalInput,
): Promise<Raise> {
  return answer(ctx, admin, id, async (raise, nowMs, transaction) => {
    const granted = grantedOf(raise, input);
    const state = stateAt(raise, nowMs);
    if (state === 'approved' && isBy(admin, raise) && isSame(raise, granted)) return unchanged(raise);
    if (state !== 'pending') throw answered(state);
    const budget = await findBudget(ctx, raise, transaction);
    const endsMs = endOf(budget, granted.granted_s, nowMs);
    // Nothing was asked for: to the end of the window, or for a day.
    if (endsMs > endOf(budget, raise.duration_s, nowMs)) throw refusedDuration();
    const exceptions = await readExceptions(ctx, budget, transaction);
    const raised = budget.per ? budgetOfPerson({ budget, exceptions }, raise.user_id) : budget;
    if (raised === null)
      throw new DomainError('conflict', 'The budget does not count for this person. Deny the raise.');
    refuseTooMuch(raised, granted.granted, nowMs);
    const approved: Raise = {
      ...answeredBy(admin, raise, nowMs),
      ...granted,
      state: 'approved',
      ends_at: dateAt(endsMs),
    };
    const plan = joinPlans(planState(ctx, approved, 'approve'), planInForce(ctx, budget, [approved]));
    return { ...plan, result: approved };
  });
}

/** Denies a pending raise. Throws as `approveRaise`. */
export async function denyRaise(
  ctx: Context,
  admin: Approver,
  id: string,
  note: string | undefined,
): Promise<Raise> {
  return answer(ctx, admin, id, async (raise, nowMs) => {
    const state = stateAt(raise, nowMs);
    if (state === 'denied' && isBy(admin, raise) && raise.answer_note === (note ?? null))
      return unchanged(raise);
    if (state !== 'pending') throw answered(state);
    const denied: Raise = {
      ...answeredBy(admin, raise, nowMs),
      state: 'denied',
      answer_note: note ?? null,
    };
    return { ...planState(ctx, denied, 'deny'), result: denied };
  });
}

/** Ends a raise that is in force. Throws as `approveRaise`. */
export async function revokeRaise(
  ctx: Context,
  admin: Approver,
  id: string,
  note: string | undefined,
): Promise<Raise> {
  return answer(ctx, admin, id, async (raise, nowMs, transaction) => {
    const state = stateAt(raise, nowMs);
    if (state === 'revoked' && isBy(admin, raise) && raise.answer_note === (note ?? null))
      return unchanged(raise);
    if (state !== 'approved') throw answered(state);
    const by = { ...answeredBy(admin, raise, nowMs), answer_note: note ?? null };
    const { result, ...plan } = await planRevocations(ctx, [by], nowMs, transaction);
    return { ...plan, result: result[0] ?? by };
  });
}

/** The plan that ends raises in force, whose budgets may be gone. */
export async function planRevocations(
  ctx: Context,
  raises: readonly Raise[],
  nowMs: number,
  transaction: ClientSession,
): Promise<Decision<Raise[]>> {
  const result = raises.map((raise): Raise => ({ ...raise, state: 'revoked', ends_at: dateAt(nowMs) }));
  const ids = [...new Set(result.map(({ budget_id }) => budget_id))];
  const budgets = await budgetRows(ctx)
    .find({ _id: { $in: ids } }, { session: transaction })
    .toArray();
  const ended = budgets.map((budget) => {
    const ofBudget = result.filter(({ budget_id }) => budget_id === budget._id);
    return planInForce(ctx, budget, ofBudget);
  });
  const states = result.map((raise) => planState(ctx, raise, 'revoke'));
  return { ...joinPlans(...states, ...ended), result };
}

/** Runs one answer as one transaction. An answer that changed the raise is told and counted. */
async function answer(
  ctx: Context,
  admin: Approver,
  id: string,
  decide: (raise: Raise, nowMs: number, transaction: ClientSession) => Promise<Decision<Raise>>,
): Promise<Raise> {
  const { raise, isNew } = await commitPlan(ctx, async (transaction) => {
    const actor = await confirmActor(ctx, { orgId: admin.orgId, role: 'admin' }, transaction);
    const before = await readRaise(ctx, { orgId: admin.orgId, userId: null }, id, transaction);
    if (before.user_id === admin.userId)
      throw new DomainError('own_request', 'Another admin has to answer what you asked for yourself.');
    const { result, ...plan } = await decide(before, ctx.clock.now(), transaction);
    if (result === before) return { result: { raise: before, isNew: false } };
    const told = await planAnswered(ctx, result, transaction);
    const whole = joinPlans({ writes: actor.writes }, plan, told);
    return { ...whole, result: { raise: result, isNew: true } };
  });
  if (isNew) raisesChanged(ctx).inc({ status: raise.state });
  return raise;
}

function unchanged(raise: Raise): Decision<Raise> {
  return { result: raise };
}

export function answered(state: Raise['state']): DomainError {
  return new DomainError('conflict', `This raise is ${state}.`, { raise_status: state });
}

function isBy({ accountId }: Approver, { answered_by }: Raise): boolean {
  return answered_by === accountId;
}

function isSame(raise: Raise, { granted, granted_s }: Granted): boolean {
  return raise.granted === granted && raise.granted_s === granted_s;
}

function answeredBy({ accountId }: Approver, raise: Raise, nowMs: number): Raise {
  const notes_until = dateAt(nowMs + NOTES_KEPT_MS);
  return { ...raise, answered_at: dateAt(nowMs), answered_by: accountId, notes_until };
}

type Granted = Pick<Raise, 'granted_s'> & { granted: number };

/** An approval gives at most what was asked for. */
function grantedOf(raise: Raise, { amount, duration_s }: ApprovalInput): Granted {
  const granted = amount === undefined ? raise.amount : limitFrom(raise.metric, amount);
  if (granted > raise.amount) throw refusedAmount('is more than was asked for');
  const granted_s = duration_s ?? raise.duration_s;
  if (granted_s !== null && raise.duration_s !== null && granted_s > raise.duration_s)
    throw refusedDuration();
  return { granted, granted_s };
}

function refusedDuration(): DomainError {
  return invalid('The duration is longer than was asked for.', '/duration_s', 'is longer than was asked for');
}

/** The budget of a raise, as long as it counts the same as when the raise was asked for. */
async function findBudget(ctx: Context, raise: Raise, transaction: ClientSession): Promise<Budget> {
  const budget = await budgetRows(ctx).findOne({ _id: raise.budget_id }, { session: transaction });
  if (!budget) throw new DomainError('conflict', 'The budget was removed. Deny the raise.');
  const { scope, scope_id } = raisedScope(budget, raise.user_id);
  const isSame = budget.metric === raise.metric && scope === raise.scope && scope_id === raise.scope_id;
  if (isSame) return budget;
  throw new DomainError('conflict', 'The budget counts something else since. Deny the raise.');
}

/** The limit with all raises stays a number that is counted exactly. */
function refuseTooMuch({ limit, raises = [] }: Budget, granted: number, nowMs: number): void {
  const open = raises.filter(({ ends_at }) => ends_at.getTime() > nowMs);
  const whole = open.reduce((sum, { amount }) => sum + amount, limit + granted);
  if (whole > Number.MAX_SAFE_INTEGER) throw refusedAmount('is more than a threshold may be');
}

/**
 * When a raise ends that is answered now: never after the end of a calendar window, by default with the window, and after a day
 * where the window does not end. Epoch ms.
 */
function endOf(budget: Budget, granted_s: number | null, nowMs: number): number {
  const { endMs } = windowAt(budget, nowMs);
  if (granted_s === null) return endMs === NEVER_MS ? nowMs + DAY_MS : endMs;
  const endsMs = nowMs + granted_s * 1_000;
  return budget.window === 'rolling' ? endsMs : Math.min(endMs, endsMs);
}
