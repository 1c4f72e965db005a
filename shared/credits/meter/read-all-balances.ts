import { memberRows } from '../../organizations/model.ts';
import { readOrganization } from '../../organizations/read-organization.ts';
import type { Context } from '../../platform/context/context.ts';
import type { CreditAccount } from '../model.ts';
import { balancesOfPlan, readHeld } from './read-balance.ts';
import { allAccounts, type Skipped, workOnAccounts } from './work-on-accounts.ts';

/** So many accounts are asked for at once: more would only wait in the same connection. */
const AT_ONCE = 100;

const UNKNOWN = { balances: null, total: null };

/**
 * What each present member of an organization has now, by user id, as `readBalances` says it. It is unknown of those whom
 * Redis has lost, and whose shard is not open or does not answer. Throws why when that is everybody.
 */
export async function readAllBalances(ctx: Context, orgId: string) {
  const rows = await memberRows(ctx).find({ org_id: orgId }).sort({ user_id: 1 }).toArray();
  const accounts = await Array.fromAsync(allAccounts(ctx, { org_id: orgId }));
  const known = new Map<string, Awaited<ReturnType<typeof readHeld>>>(accounts.map(({ _id }) => [_id, null]));
  const skipped: Skipped = { accounts: 0 };
  const read = async ({ _id }: CreditAccount) => known.set(_id, await readHeld(ctx, _id));
  for await (const _ of workOnAccounts(accounts, { size: AT_ONCE, skipped }, read));
  if (skipped.accounts > 0 && skipped.accounts === accounts.length) throw skipped.why;
  const { plan } = await readOrganization(ctx, orgId);
  return rows
    .filter((member) => member.removed_at === null)
    .map(({ _id, user_id }) => ({
      user_id,
      ...(known.has(_id) ? (known.get(_id) ?? UNKNOWN) : balancesOfPlan(ctx, plan)),
    }));
}
