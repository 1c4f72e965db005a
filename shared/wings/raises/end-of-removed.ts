import type { ClientSession } from 'mongoose';
import type { Person } from '../../core/hooks/wing.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { type Decision, joinPlans, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { planRevocations } from './answer.ts';
import { type Raise, raiseRows, stateAt } from './model.ts';
import { NOTES_KEPT_MS, planState } from './plan-change.ts';
import { planAnswered } from './plan-told.ts';

/**
 * The plan that denies what a person has asked for and revokes what is in force, in the transaction that removes the person. Its
 * result are these raises as they are then.
 */
export async function planRaisesOfRemoved(
  ctx: Context,
  { orgId, userId }: Person,
  transaction: ClientSession,
): Promise<Decision<readonly Raise[]>> {
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
  const result = [...denied, ...revoked];
  for (const raise of result) told.push(await planAnswered(ctx, raise, transaction));
  return { ...joinPlans(...denied.map((raise) => planState(ctx, raise, 'deny')), plan, ...told), result };
}

/** Erases the notes of a person's raises. Returns 0: no signal has any. */
export async function eraseRaiseNotes(ctx: Context, { orgId, userId }: Person): Promise<number> {
  const named = { org_id: orgId, user_id: userId };
  await raiseRows(ctx).updateMany(named, { $set: { note: null, answer_note: null } });
  return 0;
}
