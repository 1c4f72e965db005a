import type { Context } from '../platform/context/context.ts';
import { accountKeys, shardOf } from '../platform/redis/keys.ts';
import { changeCredits } from './change.ts';
import { creditAccountRows } from './model.ts';
import { creditNow } from './redis-time.ts';
import { decodeLots } from './state.ts';

const PARALLEL = 200;

/**
 * Writes off the lots that have expired, so that the ledger shows it also for accounts that spend nothing. (A spend
 * never takes from them, whether or not this has run.) Returns how many accounts had some.
 */
export async function expireCredits(ctx: Context): Promise<number> {
  let expired = 0;
  let batch: Promise<boolean>[] = [];
  const settle = async () => {
    expired += (await Promise.all(batch)).filter(Boolean).length;
    batch = [];
  };
  for await (const { _id } of creditAccountRows(ctx).find({})) {
    batch.push(expireAccount(ctx, _id));
    if (batch.length >= PARALLEL) await settle();
  }
  await settle();
  return expired;
}

async function expireAccount(ctx: Context, accountId: string): Promise<boolean> {
  const lots = decodeLots((await ctx.redis.producer.hget(accountKeys(accountId).account, 'lots')) ?? '');
  const nowMs = await creditNow(ctx, shardOf(accountId));
  if (!lots.some((lot) => lot.expiresMs !== 0 && lot.expiresMs <= nowMs)) return false;
  const { outcome } = await changeCredits(ctx, {
    accountId,
    idk: '',
    fingerprint: '',
    operation: ['expire'],
  });
  return outcome === 'done';
}
