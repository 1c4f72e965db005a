import type { Context } from '../../../platform/context/context.ts';
import { accountKeys, shardOf } from '../../../platform/redis/keys.ts';
import { decodeLots } from './account-state.ts';
import { changeCredits } from './change-credits.ts';
import { creditNow } from './redis-time.ts';
import { allAccounts, workOnAccounts } from './work-on-accounts.ts';

/** Accounts that are checked together. */
const BATCH = 200;

/**
 * Writes off the lots that have expired, so that the ledger shows it also for accounts that spend nothing. (A spend never
 * takes from them, whether or not this has run.) Returns how many accounts had some. Throws when all others are done and
 * some were in a shard that is not open or does not answer.
 */
export async function expireCredits(ctx: Context): Promise<number> {
  let expired = 0;
  const skipped = await workOnAccounts(allAccounts(ctx), BATCH, async ({ _id }) => {
    if (await expireAccount(ctx, _id)) expired += 1;
  });
  if (skipped.accounts > 0) throw skipped.why;
  return expired;
}

async function expireAccount(ctx: Context, accountId: string): Promise<boolean> {
  const lots = decodeLots((await ctx.redis.producer.hget(accountKeys(accountId).account, 'lots')) ?? '');
  const nowMs = await creditNow(ctx, shardOf(accountId));
  if (!lots.some((lot) => lot.expiresMs !== 0 && lot.expiresMs <= nowMs)) return false;
  return (await changeCredits(ctx, { accountId, command: 'expire-credits', args: [] })).did === 'done';
}
