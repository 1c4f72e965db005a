import type { RedisClient } from './connect.ts';

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
