import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { joinPlans, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { planRevocations } from './answer.ts';
import type { Person } from './ask.ts';
import { type Raise, raiseRows, stateAt } from './model.ts';
import { NOTES_KEPT_MS, planState } from './plan-change.ts';
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
  const answered = { answered_at: dateAt(nowMs), notes_until: dateAt(nowMs + NOTES_KEPT_MS) };
  const denied = found
    .filter((raise) => stateAt(raise, nowMs) === 'pending')
    .map((raise): Raise => ({ ...raise, ...answered, state: 'denied' }));
  const inForce = found.filter((raise) => stateAt(raise, nowMs) === 'approved');
  const { result: revoked, ...plan } = await planRevocations(ctx, inForce, nowMs, transaction);
  const told: Plan[] = [];
  for (const raise of [...denied, ...revoked]) told.push(await planAnswered(ctx, raise, transaction));
  return joinPlans(...denied.map((raise) => planState(ctx, raise, 'deny')), plan, ...told);
}

/** Erases the notes of a person's raises. */
export async function eraseRaiseNotes(ctx: Context, orgId: string, userId: string): Promise<void> {
  const named = { org_id: orgId, user_id: userId };
  await raiseRows(ctx).updateMany(named, { $set: { note: null, answer_note: null } });
}
