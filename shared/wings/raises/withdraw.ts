import { confirmActor } from '../../core/accounts/keys/confirm-actor.ts';
import type { Person } from '../../core/hooks/wing.ts';
import { commitPlan, joinPlans } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { answered } from './answer.ts';
import { raisesChanged } from './metrics.ts';
import { type Raise, stateAt } from './model.ts';
import { planState } from './plan-change.ts';
import { readRaise } from './read-raises.ts';

/**
 * Withdraws a pending raise of the person. A second time it changes nothing. Throws `not_found`, and `conflict` with
 * `raise_status` for one that was answered.
 */
export async function withdrawRaise(ctx: Context, person: Person, id: string): Promise<Raise> {
  const { raise, isNew } = await commitPlan(ctx, async (transaction) => {
    const { orgId } = person;
    const actor = await confirmActor(ctx, { orgId, role: 'member' }, transaction);
    const raise = await readRaise(ctx, person, id, transaction);
    const state = stateAt(raise, ctx.clock.now());
    if (state === 'withdrawn') return { result: { raise, isNew: false } };
    if (state !== 'pending') throw answered(state);
    const withdrawn: Raise = { ...raise, state: 'withdrawn' };
    const plan = joinPlans({ writes: actor.writes }, planState(ctx, withdrawn, 'withdraw'));
    return { ...plan, result: { raise: withdrawn, isNew: true } };
  });
  if (isNew) raisesChanged(ctx).inc({ status: 'withdrawn' });
  return raise;
}
