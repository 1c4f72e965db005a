import type { Context } from '../shared/platform/context/context.ts';
import { connectRedis } from '../shared/platform/redis/connect.ts';
import { ALL_SHARDS, shardKeys } from '../shared/platform/redis/keys.ts';
import { groupBySlot } from '../shared/platform/redis/slots.ts';

/** Waits for something that the ledger does not have yet. */
export interface EntryWait {
  /**
   * Resolves with true as soon as any shard's stream holds an entry, and when none came within `ms`; with false when Redis
   * cannot be asked in this way: it does not answer, or it is a cluster, where each shard lies in a slot of its own.
   */
  wait(ms: number): Promise<boolean>;
  stop(): void;
}

/**
 * Opens a connection for it: Redis sends nothing else on a connection that waits
 * (https://redis.io/docs/latest/commands/xread/).
 */
export function openEntryWait(ctx: Context): EntryWait {
  const streams = ALL_SHARDS.map((shard) => shardKeys(shard).stream);
  const canAskForAll = groupBySlot(ctx.redis.producer, streams).length === 1;
  if (!canAskForAll) return { wait: async () => false, stop: () => undefined };
  const client = connectRedis(ctx.config, 'waiter');
  const starts = streams.map(() => '0');
  return {
    wait: async (ms) => {
      try {
        await client.xread('COUNT', 1, 'BLOCK', ms, 'STREAMS', ...streams, ...starts);
        return true;
      } catch {
        return false;
      }
    },
    stop: () => client.disconnect(),
  };
}
