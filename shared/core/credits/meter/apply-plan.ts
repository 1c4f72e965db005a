import { isCode } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { readOrganization } from '../../accounts/organizations/read-organization.ts';
import { type CreditAccount, creditAccountRows } from '../model.ts';
import { changeCredits } from './change-credits.ts';
import { encodedPlansOf } from './plans.ts';
import { allAccounts, workOnAccounts } from './work-on-accounts.ts';

/** Accounts that are put on a plan side by side. */
const BATCH = 16;

/**
 * Puts every account of an organization on its plan. A running window or month goes on: what was used stays used, what
 * is left follows the new limit (a `credit.adjust` row), never below 0. Repeating it changes nothing. An account that it
 * did not reach is found by `reconcileCredits`. Throws when all others are done and some were in a shard that is not open or
 * does not answer, and at once as `applyPlan` otherwise.
 */
export async function applyPlanToAll(ctx: Context, orgId: string): Promise<void> {
  const accounts = allAccounts(ctx, { org_id: orgId });
  const skipped = await workOnAccounts(accounts, BATCH, (account) => applyPlan(ctx, account));
  if (skipped.accounts > 0) throw skipped.why;
}

/**
 * Puts one account on the plan that its organization has when this returns, and returns whether Redis had another. The
 * account's row comes last, so Redis has followed whatever it says. Throws as `changeCredits`, but for `not_found`.
 */
export async function applyPlan(
  ctx: Context,
  { _id, org_id }: Pick<CreditAccount, '_id' | 'org_id'>,
): Promise<boolean> {
  let hasMoved = false;
  let { plan } = await readOrganization(ctx, org_id);
  for (;;) {
    hasMoved = (await changePlan(ctx, _id, plan)) || hasMoved;
    await creditAccountRows(ctx).updateOne({ _id }, { $set: { plan } });
    // Another change may have been faster, and this one have come behind it.
    const now = await readOrganization(ctx, org_id);
    if (now.plan === plan) return hasMoved;
    plan = now.plan;
  }
}

async function changePlan(ctx: Context, accountId: string, plan: string): Promise<boolean> {
  try {
    const args = [plan, encodedPlansOf(ctx)];
    return (await changeCredits(ctx, { accountId, command: 'apply-plan', args })).did === 'done';
  } catch (error) {
    // It never reached Redis, and will with the new plan.
    if (isCode(error, 'not_found')) return false;
    throw error;
  }
}
