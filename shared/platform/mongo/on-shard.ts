/** A filter with these fields of the shard key. Obsolete: write one plain filter with all fields. */
export function onShard<Filter extends object, Shard extends object>(
  _ctx: unknown,
  filter: Filter,
  shard: Shard,
): Filter & Shard {
  return { ...filter, ...shard };
}
