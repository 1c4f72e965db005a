import { crc16 } from './crc16.ts';

/** Every Redis key that we name ourselves. BullMQ keeps its own under this prefix, with a queue's name in the tag (queues.ts). */
export const QUEUE_PREFIX = '{governor}';

/** Nothing is ever stored under it: readiness writes nothing to it. */
export const PROBE_KEY = 'probe';

/** Credits are spread over this many shards for ever: a shard's keys share one hash tag, so one script may touch them. */
export const SHARDS = 64;
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** 0..63. All that belongs to an account lies in one shard. */
export function shardOf(accountId: string): number {
  return crc16(accountId) % SHARDS;
}

export interface ShardKeys {
  /** Names the data for which the shard was opened (`identity.lua`); with anything else nothing is spent. */
  epoch: string;
  /** Entries that the ledger does not have yet. */
  stream: string;
  /** Written before the replicas are waited for, so that the wait covers all that came before it. */
  replicated: string;
}

/** The keys of one shard of credits. */
export function shardKeys(shard: number): ShardKeys {
  const tag = tagOf(shard);
  return { epoch: `${tag}:epoch`, stream: `${tag}:stream`, replicated: `${tag}:replicated` };
}

export interface AccountKeys extends ShardKeys {
  shard: number;
  /** Hash: state, plan, anchor, devices. */
  account: string;
  /** The answer to one idempotency key; `idk` is its hash, different for each account. */
  record: (idk: string) => string;
}

/** The keys of an account, and those of its shard. */
export function accountKeys(accountId: string): AccountKeys {
  const shard = shardOf(accountId);
  const tag = tagOf(shard);
  return {
    ...shardKeys(shard),
    shard,
    account: `${tag}:account:${accountId}`,
    record: (idk) => `${tag}:record:${idk}`,
  };
}

/** The SCAN pattern of the idempotency records of credits, of every account. */
export const RECORDS_PATTERN = '{c[0-9][0-9]}:record:*';

/** The shard and the hash of the idempotency key that the name of a record holds. */
export function readRecordKey(key: string): { shard: number; idk: string } {
  const [tag = '', , idk = ''] = key.split(':');
  return { shard: Number(tag.slice(2, 4)), idk };
}

/** Counts the distinct values of a field of an organization's signals on one UTC day (`YYYY-MM-DD`). */
export function valuesKey(orgId: string, day: string, field: string): string {
  return `{values:${orgId}}:${day}:${field}`;
}

/** All that a reservation's scripts touch lies in the slot of its organization. */
export interface ReservationKeys {
  /** Hash: `epoch`, the data that the reservations were opened for, and `seq`, how many were ever made. */
  state: string;
  /** Hash: what reservations hold, by budget and window. */
  held: string;
  /** Hash: reservations by id. */
  reservations: string;
  /** Sorted set: ids by the time at which they end (Redis' ms). */
  ends: string;
  /** Hash: what people hold by budget and window, and how many are open of each, by a hash of the user. */
  people: string;
  /** As of a shard. */
  replicated: string;
  /** The answer to one idempotency key; `idk` is its hash. */
  record: (idk: string) => string;
}

/** The keys of the reservations of an organization. */
export function reservationKeys(orgId: string): ReservationKeys {
  const tag = `{${orgId}}`;
  return {
    state: `${tag}:reserve:state`,
    held: `${tag}:reserve:held`,
    reservations: `${tag}:reserve:open`,
    ends: `${tag}:reserve:ends`,
    people: `${tag}:reserve:people`,
    replicated: `${tag}:reserve:replicated`,
    record: (idk) => `${tag}:reserve:record:${idk}`,
  };
}

function tagOf(shard: number): string {
  return `{c${String(shard).padStart(2, '0')}}`;
}
