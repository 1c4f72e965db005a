import type { Db } from './connect.ts';

/**
 * A filter with those fields of the shard key, where a router is asked: then it asks only the shards that hold such rows.
 * Elsewhere the filter as it is, which an index answers whole: the embedded store would read an index range for a field
 * beyond it (docs/stores.md). So `filter` alone must find no row of another shard, or its caller must check what it finds.
 */
export function onShard<Filter extends object, Shard extends object>(
  { db }: { db: Db },
  filter: Filter,
  shard: Shard,
): Filter | (Filter & Shard) {
  return db.isSharded ? { ...filter, ...shard } : filter;
}
