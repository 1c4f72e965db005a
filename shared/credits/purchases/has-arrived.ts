import type { Context } from '../../platform/context/context.ts';
import { catchUp } from '../ledger/catch-up.ts';
import { grantIdk } from '../ledger/grant-credits.ts';
import { ledgerRows } from '../ledger/model.ts';

/**
 * Whether the credits of a Checkout Session are in the ledger of this account. One that is not paid yet, and one of somebody
 * else, look alike. Throws as `catchUp`.
 */
export async function hasArrived(ctx: Context, accountId: string, checkoutId: string): Promise<boolean> {
  await catchUp(ctx, accountId);
  const named = { idk: grantIdk(checkoutId), account_id: accountId };
  return (await ledgerRows(ctx).findOne(named, { projection: { _id: 1 } })) !== null;
}
