import type { CollectionDeclaration } from '../../shared/platform/mongo/collection.ts';
import type { Fields, Statement } from './wire.ts';
import { listOf, writesOf } from './writes.ts';

type Direction = 1 | -1;

/** A read of one collection, as MongoDB plans it: leading stages that filter are one filter. */
export interface Read {
  collection: string;
  filter: Fields;
  sort: Readonly<Record<string, Direction>>;
  isLimited: boolean;
}

/** The reads of one command as the driver sends it: its own, those of its `$lookup` stages, and the rows that its writes look for. */
export function readsOf(command: Statement): Read[] {
  const { name, body } = command;
  const collection = String(body[name]);
  const plain = { collection, sort: {}, isLimited: false };
  if (name === 'distinct' || name === 'count') return [{ ...plain, filter: (body.query ?? {}) as Fields }];
  if (name === 'find') {
    const isLimited = Number(body.limit ?? 0) > 0;
    return [{ collection, filter: (body.filter ?? {}) as Fields, sort: orderOf(body.sort), isLimited }];
  }
  if (name === 'aggregate') return readsOfPipeline(collection, listOf(body.pipeline));
  return writesOf(command).flatMap(({ namespace, filter }) =>
    filter ? [{ ...plain, collection: namespace.slice(namespace.indexOf('.') + 1), filter }] : [],
  );
}

interface Lookup {
  from?: string;
  foreignField?: string;
  pipeline?: Fields[];
}

/** Leading stages that filter are one filter. */
function readsOfPipeline(collection: string, stages: readonly Fields[]): Read[] {
  const matches = stages.slice(0, stages.findIndex(({ $match }) => $match === undefined) >>> 0);
  const [next = {}, limit = {}] = stages.slice(matches.length);
  const filter = Object.assign({}, ...matches.map(({ $match }) => $match)) as Fields;
  const lookups = stages.flatMap(({ $lookup }) => {
    const { from, foreignField, pipeline = [] } = ($lookup ?? {}) as Lookup;
    if (from === undefined) return [];
    const joined = foreignField === undefined ? [] : [{ $match: { [foreignField]: null } }];
    return readsOfPipeline(from, [...joined, ...pipeline]);
  });
  return [{ collection, filter, sort: orderOf(next.$sort), isLimited: '$limit' in limit }, ...lookups];
}

/** The driver sends some orders as a map. */
function orderOf(sort: unknown): Read['sort'] {
  return sort instanceof Map ? Object.fromEntries(sort) : ((sort ?? {}) as Read['sort']);
}

/** How an index serves a read. */
export interface Plan {
  index: string;
  /** Leading fields of the index that the filter bounds: equal values, then at most one range. */
  bounded: number;
  /** Equal values among these. */
  equal: number;
  /** True where the index has the rows in the order that is asked for. */
  isSorted: boolean;
}

/**
 * The plan that reads least: the one in order where the read has one, else by `_id` where the read names some, else the one of which
 * most fields are bounded. Null where every index would be read whole. The rules are those of docs/stores.md and of
 * https://www.mongodb.com/docs/manual/tutorial/equality-sort-range-guideline/.
 */
export function planOf(read: Read, { indexes }: Pick<CollectionDeclaration, 'indexes'>): Plan | null {
  const plans = [{ key: { _id: 1 } }, ...indexes].flatMap((index) => {
    const plan = isWhole(index, read.filter) ? planBy(index.key as Record<string, Direction>, read) : null;
    return plan ? [plan] : [];
  });
  const isOrdered = Object.keys(read.sort).length > 0;
  const worth = ({ index, isSorted, bounded, equal }: Plan) =>
    (index === '_id' && !isOrdered ? 1_000 * equal : 0) + (isSorted ? 100 : 0) + 10 * equal + bounded;
  return plans.toSorted((a, b) => worth(b) - worth(a))[0] ?? null;
}

function planBy(key: Readonly<Record<string, Direction>>, { filter, sort }: Read): Plan | null {
  const names = Object.keys(key);
  const end = names.findIndex((name) => !isEqual(filter[name]));
  const equal = end === -1 ? names.length : end;
  const bounded = equal + (end !== -1 && names[end] !== undefined && names[end] in filter ? 1 : 0);
  if (bounded === 0) return null;
  return { index: names.join(), bounded, equal, isSorted: isInOrder(key, { filter, sort }) };
}

/** The fields of the order follow each other in the index, all this way or all the other way round. */
function isInOrder(
  key: Readonly<Record<string, Direction>>,
  { filter, sort }: Pick<Read, 'filter' | 'sort'>,
) {
  const wanted = Object.entries(sort).filter(([name]) => !isEqual(filter[name]));
  const there = Object.entries(key).filter(([name]) => !isEqual(filter[name]));
  const turns = wanted.map(([name, direction], at) => {
    const [found, own = 1] = there[at] ?? [];
    return found === name ? own * direction : 0;
  });
  return !turns.includes(0) && new Set(turns).size <= 1;
}

/** A partial index holds all that the filter asks for where the filter says as much (https://www.mongodb.com/docs/manual/core/index-partial/). */
function isWhole({ partialFilterExpression = {} }: CollectionDeclaration['indexes'][number], filter: Fields) {
  return Object.entries(partialFilterExpression).every(([name, condition]) => {
    const asked = filter[name];
    if (isEqual(asked)) return true;
    return JSON.stringify(asked) === JSON.stringify(condition);
  });
}

/** True of one value and of a list of values. */
function isEqual(condition: unknown): boolean {
  if (condition === undefined) return false;
  if (Object.prototype.toString.call(condition) !== '[object Object]') return true;
  const operators = Object.keys(condition as Fields).filter((name) => name.startsWith('$'));
  return operators.every((name) => name === '$in' || name === '$eq');
}

/** A read without its values: equal fields, ranges after `~`, and the order. */
export function shapeOf({ collection, filter, sort }: Read): string {
  const names = Object.keys(filter).toSorted();
  const fields = names.map((name) => (isEqual(filter[name]) ? name : `~${name}`)).join(',');
  const order = Object.keys(sort).join(',');
  return `${collection} by ${fields || 'nothing'}${order && ` in order of ${order}`}`;
}
