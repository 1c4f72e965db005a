import type { mongo } from 'mongoose';
import type { CollectionDeclaration, DeclaredCollection, Row } from './collection.ts';

/** One write as data: what a pure plan returns instead of writing. */
export interface Write {
  readonly collectionName: string;
  /** Its fields may stand beside `_id` in the filter: they say on which shard the row is, and are no condition. */
  readonly shardKey: readonly string[];
  readonly operation: Operation;
}

type Operation =
  | { name: 'insertOne'; document: object }
  | { name: 'updateOne'; filter: object; update: object; upsert?: boolean }
  | { name: 'replaceOne'; filter: object; replacement: object; upsert?: boolean }
  | { name: 'deleteMany'; filter: object };

/** A write that inserts a row. The whole plan fails with a duplicate key when the row is there already. */
export function insertRow<T extends Row>(into: DeclaredCollection<T>, row: T): Write {
  return write(into, { name: 'insertOne', document: row });
}

/** A write that updates one row; with `upsert` the row comes into being when it is missing. */
export function updateRow<T extends Row>(
  of: DeclaredCollection<T>,
  filter: mongo.Filter<T>,
  update: mongo.UpdateFilter<T> | mongo.Document[],
  options: { upsert?: boolean } = {},
): Write {
  return write(of, { name: 'updateOne', filter, update, ...options });
}

/** A write that puts a row in the place of the one with its `_id`; with `upsert` also when there is none. */
export function replaceRow<T extends Row>(
  of: DeclaredCollection<T>,
  row: T,
  options: { upsert?: boolean } = {},
): Write {
  const named = new Set(['_id', ...Object.keys(of.shardKey ?? {})]);
  const filter = Object.fromEntries(Object.entries(row).filter(([name]) => named.has(name)));
  return write(of, { name: 'replaceOne', filter, replacement: row, ...options });
}

/** A write that deletes every row that matches. */
export function deleteRows<T extends Row>(from: DeclaredCollection<T>, filter: mongo.Filter<T>): Write {
  return write(from, { name: 'deleteMany', filter });
}

function write({ collectionName, shardKey }: CollectionDeclaration, operation: Operation): Write {
  return { collectionName, shardKey: Object.keys(shardKey ?? {}), operation };
}
