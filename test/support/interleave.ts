import { type Collection, mongo } from 'mongoose';
import { vi } from 'vitest';
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

/** Another process as far as batches go: `before` sees the key of each and what is added to it, and has it wait or fails it. */
export function beforeBatches<C extends Context>(ctx: C, before: (key: string, item: unknown) => unknown): C {
  const submit: Context['batcher']['submit'] = async (key, item, batching) => {
    await before(key, item);
    return ctx.batcher.submit(key, item, batching);
  };
  return { ...ctx, batcher: { ...ctx.batcher, submit } };
}

/** Fails commits until mocks are restored: one as for a write conflict, which is tried again, or each for good. */
export function failCommits(which: 'one' | 'each'): void {
  const commit = vi.spyOn(mongo.ClientSession.prototype, 'commitTransaction');
  const fail = async function (this: mongo.ClientSession): Promise<never> {
    await this.abortTransaction();
    const errorLabels = which === 'one' ? ['TransientTransactionError'] : [];
    throw new mongo.MongoServerError({ message: 'planted', errorLabels });
  };
  if (which === 'one') commit.mockImplementationOnce(fail);
  else commit.mockImplementation(fail);
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
