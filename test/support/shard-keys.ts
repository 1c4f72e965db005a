import { COLLECTIONS } from '../../shared/tables/collections.ts';

type Fields = Record<string, unknown>;

/** A query of a collection that has a shard key, by its shape: values are left out. */
export interface Query {
  collection: string;
  command: string;
  /** The fields of its filter, or of the rows that it inserts. */
  fields: string[];
  namesShardKey: boolean;
}

const SHARD_KEYS = new Map(
  COLLECTIONS.flatMap(({ collectionName, shardKey }) =>
    shardKey ? [[collectionName, Object.keys(shardKey)] as const] : [],
  ),
);

/** The queries of one MongoDB command, as the driver sends it, that concern collections with a shard key. */
export function queriesOf(commandName: string, command: Fields): Query[] {
  if (commandName === 'bulkWrite') return queriesOfBulkWrite(command);
  const collection = String(command[commandName]);
  const of = (filters: Fields[], isWrite: boolean) =>
    filters.flatMap((filter) => queryOf(collection, commandName, filter, isWrite));
  const listed = (name: string) => command[name] as { q: Fields; multi?: boolean; limit?: number }[];
  switch (commandName) {
    case 'find':
      return of([command.filter as Fields], false);
    case 'count':
    case 'distinct':
      return of([command.query as Fields], false);
    case 'findAndModify':
      return of([command.query as Fields], true);
    case 'insert':
      return of(command.documents as Fields[], true);
    case 'update':
      return listed('updates').flatMap(({ q, multi }) => of([q], multi !== true));
    case 'delete':
      return listed('deletes').flatMap(({ q, limit }) => of([q], limit === 1));
    case 'aggregate':
      return queriesOfPipeline(collection, command.pipeline as Fields[]);
    default:
      return [];
  }
}

function queriesOfBulkWrite(command: Fields): Query[] {
  const namespaces = (command.nsInfo as { ns: string }[]).map(({ ns }) => ns.slice(ns.indexOf('.') + 1));
  return (command.ops as Fields[]).flatMap((op) => {
    const [name = ''] = Object.keys(op);
    const collection = namespaces[Number(op[name])] ?? '';
    return queryOf(collection, name, (op.filter ?? op.document) as Fields, op.multi !== true);
  });
}

interface Lookup {
  from?: string;
  foreignField?: string;
  pipeline?: Fields[];
}

/** The conditions that it begins with, which a router joins, and what it looks up in other collections. */
function queriesOfPipeline(collection: string, pipeline: Fields[]): Query[] {
  const lookups = pipeline.flatMap(({ $lookup }) => {
    const { from, foreignField, pipeline: own = [] } = ($lookup ?? {}) as Lookup;
    if (from === undefined) return [];
    return queryOf(from, '$lookup', { [foreignField ?? '']: 1, ...conditionsOf(own) }, false);
  });
  return [...queryOf(collection, 'aggregate', conditionsOf(pipeline), false), ...lookups];
}

function conditionsOf(pipeline: Fields[]): Fields {
  const end = pipeline.findIndex(({ $match }) => $match === undefined);
  const matches = pipeline.slice(0, end === -1 ? undefined : end);
  return Object.assign({}, ...matches.map(({ $match }) => $match));
}

/** A read asks few shards when it names the first field; the write of one row must name them all. */
function queryOf(collection: string, command: string, filter: Fields, isOfOneRow: boolean): Query[] {
  const key = SHARD_KEYS.get(collection);
  if (!key) return [];
  const wanted = isOfOneRow ? key : key.slice(0, 1);
  const namesShardKey = wanted.every((field) => isNamed(filter[field]));
  return [{ collection, command, fields: Object.keys(filter).toSorted(), namesShardKey }];
}

/** Returns true for a value or a list of values: a range spans shards. `null` is a value too. */
function isNamed(condition: unknown): boolean {
  if (condition === undefined) return false;
  const isOperator = Object.prototype.toString.call(condition) === '[object Object]';
  return (
    !isOperator || Object.keys(condition as Fields).every((operator) => ['$in', '$eq'].includes(operator))
  );
}
