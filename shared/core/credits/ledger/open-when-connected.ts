import type { Context } from '../../../platform/context/context.ts';
import { waitUntilReady } from '../../../platform/redis/connect.ts';
import { recoverCredits } from './open-shards.ts';

/** Waits until Redis is connected, and opens what nobody has opened yet: a shut shard refuses every change of credits. */
export async function openShards(ctx: Context): Promise<void> {
  await Promise.all([waitUntilReady(ctx.redis.meter, 5_000), waitUntilReady(ctx.redis.producer, 5_000)]);
  await recoverCredits(ctx);
}
