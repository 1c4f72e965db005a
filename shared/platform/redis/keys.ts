import type { RedisClient } from './connect.ts';

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

export function shardKeys(shard: number) {
  const tag = tagOf(shard);
  return {
    /** Names the data for which the shard was opened (`identity.lua`); with anything else nothing is spent. */
    epoch: `${tag}:epoch`,
    /** Entries that the ledger does not have yet. */
    stream: `${tag}:stream`,
    /** Written before the replicas are waited for, so that the wait covers all that came before it. */
    replicated: `${tag}:replicated`,
  };
}

export type AccountKeys = ReturnType<typeof accountKeys>;

export function accountKeys(accountId: string) {
  const shard = shardOf(accountId);
  const tag = tagOf(shard);
  return {
    ...shardKeys(shard),
    shard,
    /** Hash: state, plan, anchor, devices. */
    account: `${tag}:account:${accountId}`,
    /** The answer to one idempotency key; `idk` is its hash, different for each account. */
    record: (idk: string) => `${tag}:record:${idk}`,
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

/** The keys of the reservations of an organization. All that a reservation's scripts touch lies in its slot. */
export function reservationKeys(orgId: string) {
  const tag = `{${orgId}}`;
  return {
    /** Hash: `epoch`, the data that the reservations were opened for, and `seq`, how many were ever made. */
    state: `${tag}:reserve:state`,
    /** Hash: what reservations hold, by budget. */
    held: `${tag}:reserve:held`,
    /** Hash: reservations by id. */
    reservations: `${tag}:reserve:open`,
    /** Sorted set: ids by the time at which they end (Redis' ms). */
    ends: `${tag}:reserve:ends`,
    /** Hash: what people hold by budget, and how many are open of each, by a hash of the user. */
    people: `${tag}:reserve:people`,
    /** As of a shard. */
    replicated: `${tag}:reserve:replicated`,
    /** The answer to one idempotency key; `idk` is its hash. */
    record: (idk: string) => `${tag}:reserve:record:${idk}`,
  };
}

/**
 * The longest time to live of each kind of key, in seconds; null: it stays until it is deleted. Each test file compares the keys
 * that it leaves with this, and a key of no kind fails it.
 */
export const LONGEST_LIVES_S: readonly (readonly [pattern: RegExp, seconds: number | null])[] = [
  [/^\{c\d\d\}:(epoch|stream|replicated)$/, null],
  [/^\{c\d\d\}:account:/, null],
  [/^\{c\d\d\}:record:/, 48 * 3_600],
  [/^\{values:\w+\}:/, 2 * 86_400],
  [/^\{org_\w+\}:reserve:(state|held|open|ends|people|replicated)$/, null],
  [/^\{org_\w+\}:reserve:record:/, 3_600],
  [/^dashboard:session:/, 8 * 3_600],
  [/^dashboard:sign-in:/, 600],
];

function tagOf(shard: number): string {
  return `{c${String(shard).padStart(2, '0')}}`;
}

/** CRC-16/XMODEM over the bytes of an ASCII text, as Redis Cluster has it. */
function crc16(text: string): number {
  let crc = 0;
  for (let index = 0; index < text.length; index += 1) {
    crc = ((crc << 8) & 0xffff) ^ (TABLE[((crc >> 8) ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return crc;
}

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1)
    crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  return crc;
});

/**
 * One Redis takes any keys in one command. In a Redis Cluster the keys of a command lie in one slot
 * (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/).
 */
const ONE_FOR_ALL = 'all';

/** Names the commands that may be joined with those of a slot: on one Redis they all have one name. */
export function slotName(client: RedisClient, slot: string | number): string | number {
  return client.isCluster ? slot : ONE_FOR_ALL;
}

/** Groups items that lie in a slot each, so that one command takes a group: `most` of them, in a cluster one. */
export function groupBySlot<Item>(
  client: RedisClient,
  items: readonly Item[],
  most = items.length,
): Item[][] {
  const size = client.isCluster ? 1 : most;
  const groups: Item[][] = [];
  for (let from = 0; from < items.length; from += size) groups.push(items.slice(from, from + size));
  return groups;
}
