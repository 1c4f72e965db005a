import type { Context } from '../../platform/context/context.ts';
import { catchUp } from '../ledger/catch-up.ts';
import { keyDigest } from '../meter/idempotency.ts';
import { ledgerRows } from '../model.ts';

/**
 * Whether the credits of a Checkout Session are in the ledger of this account. One that is not paid yet, and one of somebody
 * else, look alike. Throws as `catchUp`.
 */
export async function hasArrived(ctx: Context, accountId: string, checkoutId: string): Promise<boolean> {
  await catchUp(ctx, accountId);
  const named = { idk: keyDigest(accountId, 'grant', checkoutId), account_id: accountId };
  return (await ledgerRows(ctx).findOne(named, { projection: { _id: 1 } })) !== null;
}
