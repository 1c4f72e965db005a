import type { ClientSession } from 'mongoose';
import { beginCreation } from '../../core/accounts/idempotency/creation.ts';
import { confirmActor } from '../../core/accounts/keys/confirm-actor.ts';
import { organizationRows } from '../../core/accounts/organizations/model.ts';
import { teamsByUser } from '../../core/accounts/organizations/teams.ts';
import type { Person } from '../../core/hooks/wing.ts';
import { type Budget, budgetRows } from '../../core/limits/budgets/rules/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { newId } from '../../platform/basics/ids.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { insertDue } from '../../platform/due/plan-due.ts';
import { insertRow, updateRow } from '../../platform/mongo/writes.ts';
import { limitFrom } from './amounts.ts';
import { endRaiseJob } from './jobs.ts';
import { raisesChanged } from './metrics.ts';
import { pendingKey, type Raise, raisedScope, raiseRows, stateAt } from './model.ts';
import { auditRaise, NOTES_KEPT_MS, planState } from './plan-change.ts';
import { planRequested } from './plan-told.ts';
import type { RaiseInput } from './view.ts';

declare module '../../core/accounts/organizations/model.ts' {
  interface Organization {
    /** Rises with every raise that somebody asks for, so that two at one time conflict. */
    raise_changes?: number;
  }
}

/** Requests of one person within any 24 hours. */
const MOST_PER_DAY = 20;
/** Requests of an organization that wait for an answer. */
const MOST_PENDING = 1_000;

/**
 * Asks for more of a budget that counts the person's calls. Requests of one organization are decided one after the other, so
 * the limits are exact. Throws `not_found`, `invalid_request`, `conflict` (with its `id` where one is pending already) and
 * `too_many_requests`.
 */
export async function askForRaise(ctx: Context, person: Person, input: RaiseInput): Promise<Raise> {
  const raise = await commitPlan(
    ctx,
    async (transaction) => {
      await beginCreation(ctx, 'rai', transaction);
      const { orgId } = person;
      const actor = await confirmActor(ctx, { orgId, role: 'member' }, transaction);
      const budget = await findOwnBudget(ctx, person, input.budget_id, transaction);
      const nowMs = ctx.clock.now();
      const raise = raiseOf(budget, person, input, { nowMs, pendingS: ctx.config.raisePendingS });
      const expired = await planLimits(ctx, raise, nowMs, transaction);
      const told = await planRequested(ctx, raise, transaction);
      const due = insertDue(endRaiseJob, { key: raise._id, orgId, dueMs: raise.expires_at.getTime() });
      const turn = updateRow(organizationRows, { _id: orgId }, { $inc: { raise_changes: 1 } });
      const writes = [...actor.writes, turn, insertRow(raiseRows, raise), auditRaise(ctx, raise, 'ask')];
      return { ...joinPlans(expired, { writes }, due, told), result: raise };
    },
    { onDuplicateKey: 'retry' },
  );
  raisesChanged(ctx).inc({ status: 'pending' });
  return raise;
}

/** A budget that counts this person's calls: a project's counts anybody's. Throws `not_found`. */
async function findOwnBudget(
  ctx: Context,
  { orgId, userId }: Person,
  id: string,
  transaction: ClientSession,
): Promise<Budget> {
  const budget = await budgetRows(ctx).findOne({ _id: id }, { session: transaction });
  if (budget?.org_id === orgId && (await isCounted())) return budget;
  throw new DomainError('not_found', 'There is no such budget.');

  async function isCounted(): Promise<boolean> {
    if (budget?.scope === 'user') return budget.scope_id === userId;
    if (budget?.scope !== 'team') return true;
    const teams = await teamsByUser(ctx, orgId, transaction);
    return teams.get(userId)?.includes(budget.scope_id) ?? false;
  }
}

function raiseOf(
  budget: Budget,
  { orgId, userId }: Person,
  { amount, duration_s, note }: RaiseInput,
  { nowMs, pendingS }: { nowMs: number; pendingS: number },
): Raise {
  const expiresMs = nowMs + pendingS * 1_000;
  return {
    _id: newId('rai'),
    org_id: orgId,
    user_id: userId,
    budget_id: budget._id,
    budget_name: budget.name,
    ...raisedScope(budget, userId),
    metric: budget.metric,
    amount: limitFrom(budget.metric, amount),
    duration_s: duration_s ?? null,
    note: note ?? null,
    answer_note: null,
    notes_until: dateAt(expiresMs + NOTES_KEPT_MS),
    state: 'pending',
    pending_for: pendingKey({ budget_id: budget._id, user_id: userId }),
    created_at: dateAt(nowMs),
    expires_at: dateAt(expiresMs),
    answered_at: null,
    answered_by: null,
    granted: null,
    granted_s: null,
    ends_at: null,
  };
}

/** Refuses one that is too many. Plans the end of the person's earlier one for the budget, where it has expired unnoticed. */
async function planLimits(
  ctx: Context,
  { org_id, user_id, pending_for }: Raise,
  nowMs: number,
  transaction: ClientSession,
): Promise<Plan> {
  const session = { session: transaction };
  const earlier = pending_for ? await raiseRows(ctx).findOne({ pending_for }, session) : null;
  if (earlier && stateAt(earlier, nowMs) === 'pending')
    throw new DomainError('conflict', 'You have asked for this budget already. Withdraw that first.', {
      id: earlier._id,
    });
  const since = { created_at: { $gt: dateAt(nowMs - DAY_MS) } };
  const asked = await raiseRows(ctx)
    .find({ org_id, user_id, ...since }, { ...session, sort: { created_at: 1 } })
    .toArray();
  const blocking = asked.at(-MOST_PER_DAY);
  if (blocking)
    throw new DomainError('too_many_requests', `A person may ask ${MOST_PER_DAY} times per day.`, {
      retry_after_s: Math.ceil((blocking.created_at.getTime() + DAY_MS - nowMs) / 1_000),
    });
  const waiting = { org_id, state: 'pending' as const, expires_at: { $gt: dateAt(nowMs) } };
  if ((await raiseRows(ctx).countDocuments(waiting, session)) >= MOST_PENDING)
    throw new DomainError('conflict', `${MOST_PENDING} raises of the organization wait for an answer.`);
  return earlier ? planState(ctx, { ...earlier, state: 'expired' }, 'expire') : NO_PLAN;
}
