import type { mongo } from 'mongoose';
import type { Db } from './connect.ts';
import {
  countByIndex,
  type Fields as FilterFields,
  findByIndex,
  stagesByIndex,
  writeById,
} from './embedded-filters.ts';
import type { Field, Fields, ObjectOf, OTHERS } from './fields.ts';

/** A row of any collection: its primary key is a string of ours. */
export interface Row {
  _id: string;
}

/** The fields by which a sharded MongoDB spreads a collection, in order: by range (1) or hashed. */
export type ShardKey<T> = Readonly<Partial<Record<keyof T & string, 1 | 'hashed'>>>;

/** Everything that is known of a collection: docs/data.md and docs/scaling.md are made by it. */
export interface CollectionDeclaration {
  readonly collectionName: string;
  /** One row of it, in a sentence. */
  readonly about: string;
  readonly fields: Fields;
  readonly indexes: readonly mongo.IndexDescription[];
  /** Null: the collection is small, and stays on one shard. */
  readonly shardKey: ShardKey<Record<string, unknown>> | null;
}

/** A declared collection: called with a context, it is the query handle. */
export interface DeclaredCollection<T extends Row> extends CollectionDeclaration {
  (ctx: { db: Db }): mongo.Collection<T>;
}

/** A row of a declared collection. */
export type RowOf<Rows> = Rows extends DeclaredCollection<infer T> ? T : never;

/**
 * Declares a collection of a noun. Its handle is the driver's, and refuses a filter that is or holds `undefined`: the
 * driver would drop it, and a filter without its tenant matches every tenant.
 */
export function collection<F extends Fields & { _id: Field }>(
  collectionName: string,
  declared: Omit<Declaring<ObjectOf<F>, never>, 'fields'> & { fields: F },
): DeclaredCollection<ObjectOf<F> & Row>;
export function collection<T extends Row, Own extends keyof T = keyof T>(
  collectionName: string,
  declared: Declaring<T, Own>,
): DeclaredCollection<T>;
export function collection<T extends Row, Own extends keyof T>(
  collectionName: string,
  { about, fields, indexes = [], shardKey = null }: Declaring<T, Own>,
): DeclaredCollection<T> {
  const handles = new WeakMap<Db, mongo.Collection<T>>();
  function handleOf({ db }: { db: Db }): mongo.Collection<T> {
    const known = handles.get(db);
    if (known) return known;
    const handle = guard(db.database.collection<T>(collectionName), db, { indexes, shardKey });
    handles.set(db, handle);
    return handle;
  }
  return Object.assign(handleOf, { collectionName, about, fields, indexes, shardKey });
}

interface Declaring<T, Own extends keyof T> {
  about: string;
  /** A field for each one of `Own`; the tests compare what is stored with them, and with those of wings. */
  fields: Readonly<Record<Own & string, Field> & { [OTHERS]?: Field }>;
  indexes?: readonly mongo.IndexDescription[];
  shardKey?: ShardKey<T> | null;
}

/** The error of a collection that is there already. */
const NAMESPACE_EXISTS = 48;

/** Where each operation of a handle has filters among its arguments. */
const FILTERS: Readonly<Record<string, (args: readonly unknown[]) => unknown>> = {
  find: first,
  findOne: first,
  findOneAndUpdate: first,
  findOneAndDelete: first,
  findOneAndReplace: first,
  countDocuments: first,
  updateOne: first,
  updateMany: first,
  replaceOne: first,
  deleteOne: first,
  deleteMany: first,
  distinct: ([, filter]) => filter,
  aggregate: ([stages]) => (stages as { $match?: unknown }[]).map(({ $match }) => $match ?? {}),
  bulkWrite: ([operations]) =>
    (operations as object[]).map((operation) => {
      const [write] = Object.values(operation);
      return 'filter' in write ? write.filter : {};
    }),
};

/** A call without arguments means every row; one with `undefined` is a mistake. */
function first(args: readonly unknown[]): unknown {
  return args.length === 0 ? {} : args[0];
}

type Indexed = Pick<CollectionDeclaration, 'indexes' | 'shardKey'>;

function guard<T extends Row>(handle: mongo.Collection<T>, db: Db, indexed: Indexed): mongo.Collection<T> {
  for (const [name, filtersOf] of Object.entries(FILTERS)) {
    const operation = Reflect.get(handle, name) as (...args: unknown[]) => unknown;
    const guarded = (...args: unknown[]): unknown => {
      refuseUndefined(filtersOf(args), 'filter');
      const run = (...own: unknown[]) => operation.apply(handle, own);
      return db.isEmbedded ? runEmbedded(handle as never, indexed, name, args, run) : run(...args);
    };
    Object.defineProperty(handle, name, { value: guarded, configurable: true, writable: true });
  }
  return handle;
}

/** Writes of rows that a filter names. */
const WRITES = new Set(['updateOne', 'updateMany', 'deleteOne', 'deleteMany']);

function runEmbedded(
  handle: mongo.Collection,
  indexed: Indexed,
  name: string,
  args: unknown[],
  run: (...args: unknown[]) => unknown,
): unknown {
  const [filter = {}, ...others] = args as [FilterFields?, ...object[]];
  if (name === 'find') return findByIndex(handle, indexed, filter, others[0] ?? {}) ?? run(...args);
  if (name === 'countDocuments')
    return countByIndex(handle, indexed, filter, others[0] ?? {}) ?? run(...args);
  if (name === 'aggregate') return run(stagesByIndex(indexed, args[0] as mongo.Document[]), ...others);
  const options: mongo.UpdateOptions = others.at(-1) ?? {};
  if (!WRITES.has(name) || options.upsert) return run(...args);
  return writeById(handle, indexed, filter, options.session).then((named) => run(named, ...others));
}

/** Throws when a filter, or a part of one, is `undefined`. `path` says where. */
export function refuseUndefined(filter: unknown, path: string): void {
  if (filter === undefined) throw new Error(`The ${path} is undefined`);
  if (typeof filter !== 'object' || filter === null) return;
  const isPlain = Object.getPrototypeOf(filter) === Object.prototype;
  if (!isPlain && !Array.isArray(filter)) return;
  for (const [name, value] of Object.entries(filter)) refuseUndefined(value, `${path}.${name}`);
}

/** Creates what is missing of these collections and their indexes. Safe to repeat, and while others run. */
export async function createCollections(db: Db, declared: readonly CollectionDeclaration[]): Promise<void> {
  const { database } = db;
  const there = await database.listCollections({}, { nameOnly: true }).toArray();
  const names = new Set(there.map(({ name }) => name));
  for (const { collectionName, indexes } of declared) {
    if (!names.has(collectionName)) await createUnlessThere(database, collectionName);
    if (indexes.length > 0) await createMissing(database.collection(collectionName), [...indexes]);
  }
}

/** How long a new index waits for the transactions that use its collection, at a time: meanwhile no other one begins. */
const INDEX_PATIENCE_MS = 5_000;
const HURRIED_ATTEMPTS = 12;
/** The error of a command that took longer than its `maxTimeMS`. */
const OUT_OF_TIME = 50;

/**
 * Creates those of the indexes that are missing. A new one needs its collection alone for a moment, and a transaction lasts up to
 * 55 s: so it gives way and comes back. `maxTimeMS` ends a build too, hence the last attempt has none.
 */
async function createMissing(rows: mongo.Collection, indexes: mongo.IndexDescription[]): Promise<void> {
  for (let attempt = 1; attempt <= HURRIED_ATTEMPTS; attempt += 1) {
    try {
      await rows.createIndexes(indexes, { maxTimeMS: INDEX_PATIENCE_MS });
      return;
    } catch (error) {
      if (codeOf(error) !== OUT_OF_TIME) throw error;
    }
  }
  await rows.createIndexes(indexes);
}

/** Another release may create it at the same time. */
async function createUnlessThere(database: mongo.Db, name: string): Promise<void> {
  try {
    await database.createCollection(name);
  } catch (error) {
    if (codeOf(error) !== NAMESPACE_EXISTS) throw error;
  }
}

/** The errors of an index, and of a collection, that is not there. */
const NOT_THERE: readonly unknown[] = [26, 27];

/** Drops an index that is no longer declared, by its name. Safe to repeat. */
export async function dropIndex(
  db: Db,
  { collectionName }: CollectionDeclaration,
  name: string,
): Promise<void> {
  try {
    await db.database.collection(collectionName).dropIndex(name);
  } catch (error) {
    if (!NOT_THERE.includes(codeOf(error))) throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
