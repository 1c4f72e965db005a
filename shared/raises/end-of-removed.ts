import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { planRevocation } from './answer.ts';
import type { Person } from './ask.ts';
import { type Raise, raiseRows, stateAt } from './model.ts';
import { planState } from './plan-change.ts';
import { planAnswered } from './plan-told.ts';

/**
 * The plan that denies what a person has asked for and revokes what is in force, in the transaction that removes the person.
 */
export async function planRaisesOfRemoved(
  ctx: Context,
  { orgId, userId }: Person,
  transaction: ClientSession,
): Promise<Plan> {
  const open = { org_id: orgId, user_id: userId, state: { $in: ['pending' as const, 'approved' as const] } };
  const found = await raiseRows(ctx).find(open, { session: transaction }).toArray();
  const nowMs = ctx.clock.now();
  const plans: Plan[] = [];
  for (const raise of found) {
    const state = stateAt(raise, nowMs);
    if (state === 'pending') {
      const denied: Raise = { ...raise, state: 'denied', answered_at: dateAt(nowMs) };
      plans.push(planState(ctx, denied, 'deny'), await planAnswered(ctx, denied, transaction));
    }
    if (state === 'approved') {
      const { result, ...plan } = await planRevocation(ctx, raise, nowMs, transaction);
      plans.push(plan, await planAnswered(ctx, result, transaction));
    }
  }
  return plans.length === 0 ? NO_PLAN : joinPlans(...plans);
}

/** Erases the notes of a person's raises. */
export async function eraseRaiseNotes(ctx: Context, orgId: string, userId: string): Promise<void> {
  const named = { org_id: orgId, user_id: userId };
  await raiseRows(ctx).updateMany(named, { $set: { note: null, answer_note: null } });
}
