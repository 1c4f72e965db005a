import { crc16 } from './crc16.ts';

/** Every Redis key that we name ourselves. BullMQ keeps its own under this prefix; the tag keeps a queue in one slot. */
export const QUEUE_PREFIX = '{governor}';

/** Credits are spread over this many shards for ever: a shard's keys share one hash tag, so one script may touch them. */
export const SHARDS = 64;
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** 0..63. All that belongs to an account lies in one shard. */
export function shardOf(accountId: string): number {
  return crc16(accountId) % SHARDS;
}

export interface ShardKeys {
  /** Holds the `run_id` of the Redis for which the shard was opened; anything else and nothing is spent. */
  gate: string;
  /** The stream of what the ledger does not have yet. */
  outbox: string;
}

export function shardKeys(shard: number): ShardKeys {
  const tag = `{c${String(shard).padStart(2, '0')}}`;
  return { gate: `${tag}:gate`, outbox: `${tag}:outbox` };
}

export interface AccountKeys extends ShardKeys {
  shard: number;
  /** Hash: state, plan, anchor, devices. */
  account: string;
  /** The stored answer of one idempotency key; `idk` is its hash. */
  answer(idk: string): string;
}

export function accountKeys(accountId: string): AccountKeys {
  const shard = shardOf(accountId);
  const keys = shardKeys(shard);
  const tag = keys.gate.slice(0, keys.gate.indexOf(':'));
  return {
    ...keys,
    shard,
    account: `${tag}:account:${accountId}`,
    answer: (idk) => `${tag}:answer:${accountId}:${idk}`,
  };
}
