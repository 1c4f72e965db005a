import { type Member, memberRows } from '../../organizations/model.ts';
import { readOrganization } from '../../organizations/read-organization.ts';
import { inBatches } from '../../platform/basics/in-batches.ts';
import type { Context } from '../../platform/context/context.ts';
import { creditAccountRows } from './model.ts';
import { balancesOfPlan, readBalances } from './read-balance.ts';

/** So many accounts are asked for at once: more would only wait in the same connection. */
const AT_ONCE = 100;

/** What each present member of an organization has now, by user id, as `readBalances` says it. */
export async function readAllBalances(
  ctx: Context,
  orgId: string,
): Promise<({ user_id: string } & Awaited<ReturnType<typeof readBalances>>)[]> {
  const rows = await memberRows(ctx).find({ org_id: orgId }).sort({ user_id: 1 }).toArray();
  const members = rows.filter((member) => member.removed_at === null);
  const accounts = await creditAccountRows(ctx)
    .find({ org_id: orgId }, { projection: { _id: 1 } })
    .toArray();
  const made = new Set(accounts.map(({ _id }) => _id));
  const { plan } = await readOrganization(ctx, orgId);
  const read = async ({ _id, user_id }: Member) => ({
    user_id,
    ...(made.has(_id) ? await readBalances(ctx, _id) : balancesOfPlan(ctx, plan)),
  });
  return Array.fromAsync(inBatches(members, AT_ONCE, read));
}
