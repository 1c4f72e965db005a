import type { DomainError } from '../../platform/basics/errors.ts';
import { inBatches } from '../../platform/basics/in-batches.ts';
import type { Context } from '../../platform/context/context.ts';
import { accountKeys, shardOf } from '../../platform/redis/keys.ts';
import { decodeLots } from './account-state.ts';
import { allAccounts } from './all-accounts.ts';
import { changeCredits } from './change-credits.ts';
import type { CreditAccount } from './model.ts';
import { creditNow } from './redis-time.ts';
import { unlessShut } from './unless-shut.ts';

/** Accounts that are looked at together. */
const BATCH = 200;

/**
 * Writes off the lots that have expired, so that the ledger shows it also for accounts that spend nothing. (A spend
 * never takes from them, whether or not this has run.) Returns how many accounts had some. Throws `rebuilding` when all others
 * are done and some were in a shard that is not open.
 */
export async function expireCredits(ctx: Context): Promise<number> {
  let expired = 0;
  const shut: DomainError[] = [];
  const expire = ({ _id }: CreditAccount) => unlessShut(shut, () => expireAccount(ctx, _id));
  for await (const had of inBatches(allAccounts(ctx), BATCH, expire)) if (had) expired += 1;
  if (shut[0]) throw shut[0];
  return expired;
}

async function expireAccount(ctx: Context, accountId: string): Promise<boolean> {
  const lots = decodeLots((await ctx.redis.producer.hget(accountKeys(accountId).account, 'lots')) ?? '');
  const nowMs = await creditNow(ctx, shardOf(accountId));
  if (!lots.some((lot) => lot.expiresMs !== 0 && lot.expiresMs <= nowMs)) return false;
  return (await changeCredits(ctx, { accountId, command: 'expire-credits', args: [] })).did === 'done';
}
