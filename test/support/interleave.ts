import type { Collection } from 'mongoose';
import { createBatcher } from '../../shared/platform/context/batcher.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { CollectionDeclaration } from '../../shared/platform/mongo/collection.ts';
import { besideIt } from './beside-transaction.ts';

/** Reads of a collection that an interleaving waits for. */
const READS = ['findOne', 'countDocuments'] as const;

/**
 * Another process on the same data, which stands still once: right after it has read `collection` for the `time`th time
 * (from 1), until `meanwhile` has run.
 */
export function standingStillAfter<C extends Context>(
  ctx: C,
  { collectionName }: CollectionDeclaration,
  meanwhile: () => Promise<unknown>,
  time = 1,
): C {
  let reads = 0;
  const after = async <Found>(read: Promise<Found>): Promise<Found> => {
    const found = await read;
    reads += 1;
    if (reads === time) await besideIt(meanwhile);
    return found;
  };
  const slow = (collection: Collection) => {
    for (const name of ['find', 'aggregate'] as const) {
      const original = collection[name].bind(collection) as (...args: unknown[]) => Cursor;
      Object.assign(collection, {
        [name]: (...args: unknown[]) => {
          const cursor = original(...args);
          const toArray = cursor.toArray.bind(cursor);
          return Object.assign(cursor, { toArray: () => after(toArray()) });
        },
      });
    }
    for (const name of READS) {
      const original = collection[name].bind(collection) as (...args: unknown[]) => Promise<unknown>;
      Object.assign(collection, { [name]: (...args: unknown[]) => after(original(...args)) });
    }
    return collection;
  };
  const own = ctx.db.database as object as Database;
  const database = override(own, {
    collection: (name: string) => {
      const collection = own.collection(name);
      return name === collectionName ? slow(collection) : collection;
    },
  });
  const batcher = createBatcher();
  return { ...ctx, batcher, db: { ...ctx.db, database: database as never } };
}

interface Cursor {
  toArray(): Promise<unknown[]>;
}

interface Database {
  collection(name: string): Collection;
}

/** An object with some properties in place of its own; its methods go on with the object itself. */
function override<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (name in own) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
