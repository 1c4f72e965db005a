import { inBatches } from '../../platform/basics/in-batches.ts';
import type { Context } from '../../platform/context/context.ts';
import { accountKeys, shardOf } from '../../platform/redis/keys.ts';
import { decodeLots } from './account-state.ts';
import { changeCredits } from './change-credits.ts';
import { creditAccountRows } from './model.ts';
import { creditNow } from './redis-time.ts';

/** Accounts that are looked at together. */
const BATCH = 200;

/**
 * Writes off the lots that have expired, so that the ledger shows it also for accounts that spend nothing. (A spend
 * never takes from them, whether or not this has run.) Returns how many accounts had some.
 */
export async function expireCredits(ctx: Context): Promise<number> {
  const accounts = creditAccountRows(ctx).find({});
  let expired = 0;
  for await (const had of inBatches(accounts, BATCH, ({ _id }) => expireAccount(ctx, _id)))
    if (had) expired += 1;
  return expired;
}

async function expireAccount(ctx: Context, accountId: string): Promise<boolean> {
  const lots = decodeLots((await ctx.redis.producer.hget(accountKeys(accountId).account, 'lots')) ?? '');
  const nowMs = await creditNow(ctx, shardOf(accountId));
  if (!lots.some((lot) => lot.expiresMs !== 0 && lot.expiresMs <= nowMs)) return false;
  return (await changeCredits(ctx, { accountId, command: 'expire-credits', args: [] })).did === 'done';
}
