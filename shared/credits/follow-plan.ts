import type { Context } from '../context.ts';
import type { Plan } from '../contract.ts';
import { DomainError } from '../errors.ts';
import { changeCredits } from './change.ts';
import type { CreditAccount } from './model.ts';
import { encodePlans } from './plans.ts';

/**
 * Puts every account of an organization on its plan. A running window or month goes on: what was used stays used, what
 * is left follows the new limit (a `credit.adjust` row), never below 0. Repeating it changes nothing.
 */
export async function followPlan(ctx: Context, orgId: string, plan: Plan): Promise<number> {
  const accounts = await ctx.db.creditAccounts.find({ org_id: orgId }).lean<CreditAccount[]>();
  for (const { _id } of accounts) {
    await ctx.db.creditAccounts.updateOne({ _id }, { $set: { plan } });
    await putOnPlan(ctx, _id, plan);
  }
  return accounts.length;
}

async function putOnPlan(ctx: Context, accountId: string, plan: Plan): Promise<void> {
  try {
    const operation = ['plan', plan, encodePlans(ctx.plans)];
    await changeCredits(ctx, { accountId, idk: '', fingerprint: '', operation });
  } catch (error) {
    // It never reached Redis, and will with the new plan.
    if (!(error instanceof DomainError && error.code === 'not_found')) throw error;
  }
}
