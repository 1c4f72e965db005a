import type { mongo } from 'mongoose';

/**
 * The embedded MongoDB finds rows at once only where one index holds every field of the filter. With any other field it reads
 * a whole range: of 20,000 sessions it finds one in 0.9 ms by `_id`, and in 20 ms by `_id` and organization. MongoDB needs
 * nothing of this file: `Db.isEmbedded` turns it on. Once both finds take the same time, the file can go.
 */
export type Fields = Readonly<Record<string, unknown>>;

interface Indexed {
  readonly indexes: readonly { readonly key: object }[];
  readonly shardKey: object | null;
}

/** A query without conditions beyond an index: those come in a stage of their own. */
export function stagesByIndex(indexed: Indexed, stages: readonly mongo.Document[]): mongo.Document[] {
  const [first, ...others] = stages.flatMap(filterAfterLookup);
  if (first?.$match === undefined) return first === undefined ? [] : [first, ...others];
  return [...splitByIndex(indexed, first.$match).map((filter) => ({ $match: filter })), ...others];
}

/** One filter where an index holds all of it, else two: the fields of the best index, and the rest. */
function splitByIndex(indexed: Indexed, filter: Fields): Fields[] {
  const held = isOfKeys(filter._id) ? ['_id'] : leadingFields(indexed, filter);
  const rest = omit(filter, held);
  return held.length === 0 || Object.keys(rest).length === 0 ? [filter] : [pick(filter, held), rest];
}

/** The fields of a filter that the best index begins with. At a tie an index by the shard key is worse: it holds more rows. */
function leadingFields({ indexes, shardKey }: Indexed, filter: Fields): string[] {
  const [broad] = Object.keys(shardKey ?? {});
  const leading = indexes.map(({ key }) => {
    const names = Object.keys(key);
    const end = names.findIndex((name) => !(name in filter));
    return end === -1 ? names : names.slice(0, end);
  });
  const score = (names: string[]) => 2 * names.length - (names[0] === broad ? 1 : 0);
  return leading.reduce((best, names) => (score(names) > score(best) ? names : best), []);
}

/** The filter of a `$lookup` by a field follows it. */
function filterAfterLookup(stage: mongo.Document): mongo.Document[] {
  const { pipeline, ...lookup } = stage.$lookup ?? {};
  const [first, ...others] = pipeline ?? [];
  if (lookup.localField === undefined || first?.$match === undefined || others.length > 0) return [stage];
  const conditions = Object.entries(first.$match).map(([name, value]) => ({ $eq: [`$$row.${name}`, value] }));
  const matching = { $filter: { input: `$${lookup.as}`, as: 'row', cond: { $and: conditions } } };
  return [{ $lookup: lookup }, { $set: { [lookup.as]: matching } }];
}

/**
 * A find as an aggregation; null where one index holds the whole filter. Its cursor carries out `sort`, `limit` and `project`
 * in the order of the calls.
 */
export function findByIndex(
  handle: mongo.Collection,
  indexed: Indexed,
  filter: Fields,
  { sort, limit, projection, singleBatch: _, ...options }: mongo.FindOptions,
): mongo.AggregationCursor | null {
  const filters = splitByIndex(indexed, filter);
  if (filters.length === 1) return null;
  const cursor = handle.aggregate(
    filters.map((some) => ({ $match: some })),
    options as mongo.AggregateOptions,
  );
  if (sort) cursor.sort(sort);
  if (limit) cursor.limit(limit);
  return projection ? cursor.project(projection) : cursor;
}

/** A count of what `findByIndex` finds; null where one index holds the whole filter. */
export function countByIndex(
  handle: mongo.Collection,
  indexed: Indexed,
  filter: Fields,
  options: mongo.FindOptions,
): Promise<number> | null {
  const found = findByIndex(handle, indexed, filter, options);
  if (found === null) return null;
  // `$count` takes twice as long in the embedded store.
  const counted = found.addStage<{ rows: number }>({ $group: { _id: null, rows: { $sum: 1 } } }).toArray();
  return counted.then(([all]) => all?.rows ?? 0);
}

/**
 * The filter of a write of rows by id, without their shard key: a read has checked it, and no row ever changes it. The other
 * conditions stay.
 */
export async function writeById(
  handle: mongo.Collection,
  { shardKey }: Indexed,
  filter: Fields,
  session: mongo.ClientSession | undefined,
): Promise<Fields> {
  const address = addressIn(filter, Object.keys(shardKey ?? {}));
  if (address.length === 0) return filter;
  const stages = [
    { $match: { _id: filter._id } },
    { $match: pick(filter, address) },
    { $project: { _id: 1 } },
  ];
  const found = await handle.aggregate(stages, session ? { session } : {}).toArray();
  return { ...omit(filter, address), _id: { $in: found.map(({ _id }) => _id) } };
}

/** The fields of the shard key that stand beside an `_id`, which says as much: it is made of them, or random. */
export function addressIn(filter: Fields, shardKey: readonly string[]): string[] {
  return isOfKeys(filter._id) ? shardKey.filter((name) => name !== '_id' && name in filter) : [];
}

/** True of one primary key, and of a list of them; false of a range. */
function isOfKeys(condition: unknown): boolean {
  return (
    typeof condition === 'string' ||
    (typeof condition === 'object' && condition !== null && '$in' in condition)
  );
}

export function omit(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

export function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}
