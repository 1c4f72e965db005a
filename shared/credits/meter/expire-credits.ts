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
  let expired = 0;
  let batch: Promise<boolean>[] = [];
  const finishBatch = async () => {
    expired += (await Promise.all(batch)).filter(Boolean).length;
    batch = [];
  };
  for await (const { _id } of creditAccountRows(ctx).find({})) {
    batch.push(expireAccount(ctx, _id));
    if (batch.length >= BATCH) await finishBatch();
  }
  await finishBatch();
  return expired;
}

async function expireAccount(ctx: Context, accountId: string): Promise<boolean> {
  const lots = decodeLots((await ctx.redis.producer.hget(accountKeys(accountId).account, 'lots')) ?? '');
  const nowMs = await creditNow(ctx, shardOf(accountId));
  if (!lots.some((lot) => lot.expiresMs !== 0 && lot.expiresMs <= nowMs)) return false;
  return (await changeCredits(ctx, { accountId, command: 'expire-credits', args: [] })).did === 'done';
}
