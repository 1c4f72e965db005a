import { type ClientSession, mongo } from 'mongoose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { commitPlan } from '../../../../shared/platform/context/commit-plan.ts';
import { collection, createCollections, type Row } from '../../../../shared/platform/mongo/collection.ts';
import {
  deleteRows,
  insertRow,
  replaceRow,
  updateRow,
  type Write,
} from '../../../../shared/platform/mongo/writes.ts';
import { storesFixture } from '../../../support/fixture.ts';

interface Thing extends Row {
  n: number;
}
const THING = { about: 'A thing.', fields: { _id: String, n: Number } } as const;
const things = collection<Thing>('test_things', THING);
const others = collection<Thing>('test_others', THING);
const { ctx } = await storesFixture();
beforeAll(async () => {
  await createCollections(ctx.db, [things, others]);
});

let attempts = 0;

/** Commits a plan of these writes, and counts how often it is decided. */
async function write(writes: Write[], options: { onDuplicateKey?: 'retry' } = {}): Promise<void> {
  attempts = 0;
  const decide = async (transaction: ClientSession) => {
    attempts += 1;
    await things(ctx).findOne({ _id: 'none' }, { session: transaction });
    return { writes, wakeUps: [], result: undefined };
  };
  await commitPlan(ctx, decide, options);
}

/** Writes beside those that a test looks at: 400 go in several commands. */
const padding = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    updateRow(others, { _id: `padding-${index}` }, { $inc: { n: 1 } }, { upsert: true }),
  );

describe.each([
  ['a small plan', 0],
  ['a large plan', 400],
])('%s', (name, size) => {
  const id = (part: string) => `${name} ${part}`;

  test('writes to several collections, and may delete a row and insert it again', async () => {
    await write([insertRow(things, { _id: id('a'), n: 1 }), insertRow(things, { _id: id('b'), n: 1 })]);
    await write([
      insertRow(things, { _id: id('a'), n: 2 }),
      deleteRows(things, { _id: id('a') }),
      replaceRow(things, { _id: id('b'), n: 3 }),
      updateRow(others, { _id: id('c') }, { $inc: { n: 4 } }, { upsert: true }),
      ...padding(size),
    ]);
    expect(await things(ctx).findOne({ _id: id('a') })).toEqual({ _id: id('a'), n: 2 });
    expect(await things(ctx).findOne({ _id: id('b') })).toEqual({ _id: id('b'), n: 3 });
    expect(await others(ctx).findOne({ _id: id('c') })).toEqual({ _id: id('c'), n: 4 });
  });

  test('writes nothing when one of its rows is there already, and says that the key is taken', async () => {
    await write([insertRow(things, { _id: id('taken'), n: 1 })]);
    const plan = [
      insertRow(others, { _id: id('kept out'), n: 1 }),
      insertRow(things, { _id: id('taken'), n: 2 }),
      ...padding(size),
    ];
    await expect(write(plan)).rejects.toMatchObject({ code: 11_000 });
    expect(await others(ctx).findOne({ _id: id('kept out') })).toBeNull();
  });

  test('says at once that the key is taken, though writes of other kinds to the same collection follow', async () => {
    await write([insertRow(others, { _id: id('taken once'), n: 1 })]);
    const taken = insertRow(others, { _id: id('taken once'), n: 2 });
    await expect(write([...padding(1), taken, ...padding(size)])).rejects.toMatchObject({ code: 11_000 });
    expect(attempts).toBe(1);
  });

  test('that meets another on one row is decided again, and none is lost', async () => {
    const increment = async () => {
      await commitPlan(ctx, async (transaction) => {
        const row = await things(ctx).findOne({ _id: id('counter') }, { session: transaction });
        const next = { _id: id('counter'), n: (row?.n ?? 0) + 1 };
        return {
          writes: [replaceRow(things, next, { upsert: true }), ...padding(size)],
          wakeUps: [],
          result: undefined,
        };
      });
    };
    await Promise.all(Array.from({ length: 8 }, increment));
    expect(await things(ctx).findOne({ _id: id('counter') })).toMatchObject({ n: 8 });
  });

  test('refuses a filter that holds undefined', async () => {
    const unknown = undefined as unknown as string;
    await expect(write([deleteRows(things, { _id: unknown }), ...padding(size)])).rejects.toThrow(
      'filter._id is undefined',
    );
  });
});

test('a filter that is undefined is refused by a handle, and none at all means every row', async () => {
  const unknown = undefined as unknown as { _id: string };
  expect(() => things(ctx).deleteMany(unknown)).toThrow('The filter is undefined');
  expect(() => things(ctx).find(unknown)).toThrow('The filter is undefined');
  const update = { filter: unknown, update: { $set: { n: 1 } } };
  expect(() => things(ctx).bulkWrite([{ updateMany: update }])).toThrow('filter.0 is undefined');
  expect(await things(ctx).find().toArray()).not.toEqual([]);
});

test('a plan that meets duplicate keys is decided until it meets none, if it may look again', async () => {
  attempts = 0;
  const decide = async (transaction: ClientSession) => {
    attempts += 1;
    const _id = attempts <= 20 ? 'there' : 'not there';
    await things(ctx).findOne({ _id }, { session: transaction });
    return { writes: [insertRow(things, { _id, n: attempts })], result: undefined };
  };
  await write([insertRow(things, { _id: 'there', n: 1 })]);
  await expect(commitPlan(ctx, decide)).rejects.toMatchObject({ code: 11_000 });
  attempts = 0;
  await commitPlan(ctx, decide, { onDuplicateKey: 'retry' });
  expect(await things(ctx).findOne({ _id: 'not there' })).toMatchObject({ n: 21 });
});

// The driver of a replica set throws what the server answers to the whole command inside an error of its own, which has
// neither code nor labels. The embedded store answers so for no command, hence the answer is made here.
test.each([
  ['a write conflict', 112],
  ['a lock that could not be had at once', 24],
  ['a transaction that the server has ended', 251],
])('%s that fails the whole command lets the plan be decided again', async (_, code) => {
  const client = ctx.db.connection.getClient();
  const original = client.bulkWrite.bind(client);
  client.bulkWrite = async () => {
    client.bulkWrite = original;
    const cause = new mongo.MongoServerError({ code, errorLabels: ['TransientTransactionError'] });
    throw Object.assign(new mongo.MongoClientBulkWriteError({ message: 'The command failed' }), { cause });
  };
  await write([insertRow(things, { _id: `after ${code}`, n: 1 })]);
  expect(attempts).toBe(2);
  expect(await things(ctx).findOne({ _id: `after ${code}` })).toMatchObject({ n: 1 });
});

test('an index that waits for long transactions gives way to others, and is built without haste at last', async () => {
  const late = new mongo.MongoServerError({ message: 'operation exceeded time limit', code: 50 });
  const create = vi.spyOn(mongo.Collection.prototype, 'createIndexes');
  for (let attempt = 1; attempt <= 12; attempt += 1) create.mockRejectedValueOnce(late);
  const indexed = collection<Thing>('test_indexed', { ...THING, indexes: [{ key: { n: 1, _id: 1 } }] });
  await createCollections(ctx.db, [indexed]);
  const patience = create.mock.calls.map(([, options]) => options?.maxTimeMS);
  create.mockRestore();
  expect(patience).toEqual([...Array<number>(12).fill(5_000), undefined]);
  expect(await indexed(ctx).indexes()).toContainEqual(expect.objectContaining({ name: 'n_1__id_1' }));
});
