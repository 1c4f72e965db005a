import { setTimeout } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { isOutcomeUnknown, isStoreError } from '../../../../shared/platform/basics/errors.ts';
import { createLog } from '../../../../shared/platform/basics/log.ts';
import { collection, createCollections, type Row } from '../../../../shared/platform/mongo/collection.ts';
import { inTransaction } from '../../../../shared/platform/mongo/transaction.ts';
import { instanceRows, startTransactionGuard } from '../../../../shared/platform/mongo/transaction-guard.ts';
import { besideIt } from '../../../support/beside-transaction.ts';
import { type NetProxy, startProxy } from '../../../support/drills/proxy.ts';
import { storesFixture } from '../../../support/fixture.ts';
import { openTestContext, type TestContext, until } from '../../../support/harness.ts';
import { PoolClearedOnNetworkError } from '../../../support/store-errors.ts';

interface Thing extends Row {
  n: number;
}
const things = collection<Thing>('test_things', { about: 'A thing.', fields: { _id: String, n: Number } });
const { ctx } = await storesFixture();
beforeAll(async () => {
  await createCollections(ctx.db, [things, instanceRows]);
});

/** A client that reaches the same database through a proxy. */
async function openBehind(proxy: NetProxy): Promise<TestContext> {
  const url = new URL(ctx.config.mongodbUrl);
  url.port = String(proxy.port);
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  return openTestContext({ sharing: { ...ctx, config: { ...ctx.config, mongodbUrl: url.href } } });
}

/** Work of a client that reaches the same database through a proxy of its own. */
async function throughProxy(work: (other: TestContext, proxy: NetProxy) => Promise<void>): Promise<void> {
  const proxy = await startProxy(Number(new URL(ctx.config.mongodbUrl).port));
  const other = await openBehind(proxy);
  try {
    await work(other, proxy);
  } finally {
    proxy.reset();
    await other.close();
    await proxy.close();
  }
}

/** Writes a row of this id in a transaction. */
const write = (by: TestContext, _id: string, options: { deadlineMs?: number } = {}) =>
  inTransaction(
    by.db,
    (transaction) => things(by).insertOne({ _id, n: 1 }, { session: transaction }),
    options,
  );

describe('a transaction that does not get through in time', () => {
  test('fails as a store that is away, and never commits what it was about to write', async () => {
    const blocked = Promise.withResolvers<void>();
    const late = inTransaction(
      ctx.db,
      async (transaction) => {
        await things(ctx).insertOne({ _id: 'late', n: 1 }, { session: transaction });
        await blocked.promise;
      },
      { deadlineMs: 200 },
    );
    const error = await late.catch((thrown: unknown) => thrown);
    expect([isStoreError(error), isOutcomeUnknown(error)]).toEqual([true, false]);
    blocked.resolve();
    await write(ctx, 'after');
    // The row is free again, so the late transaction has ended, without its write.
    await until(async () => {
      await things(ctx).updateOne({ _id: 'late' }, { $inc: { n: 1 } }, { upsert: true });
      return true;
    });
    expect(await things(ctx).findOne({ _id: 'late' })).toMatchObject({ n: 1 });
  });

  test('fails at the same time when every attempt meets a duplicate key', async () => {
    await things(ctx).insertOne({ _id: 'taken', n: 1 });
    let attempts = 0;
    const late = inTransaction(
      ctx.db,
      async (transaction) => {
        attempts += 1;
        await setTimeout(300);
        await things(ctx).insertOne({ _id: 'taken', n: 2 }, { session: transaction });
      },
      { onDuplicateKey: 'retry', deadlineMs: 500 },
    );
    expect(isStoreError(await late.catch((thrown: unknown) => thrown))).toBe(true);
    expect(attempts).toBeLessThanOrEqual(2);
  });

  test('says that its outcome is not known when only the answer to the commit is missing', () =>
    throughProxy(async (other, proxy) => {
      proxy.onRequest = (chunk) => {
        if (chunk.includes('commitTransaction')) proxy.mode = 'drop-replies';
        return true;
      };
      const error = await write(other, 'sent', { deadlineMs: 1_000 }).catch((thrown: unknown) => thrown);
      expect(isOutcomeUnknown(error)).toBe(true);
      expect(await things(ctx).countDocuments({ _id: 'sent' })).toBe(1);
    }));

  test('says so too when the driver gives the server up during the commit', async () => {
    const commit = vi
      .spyOn(mongo.ClientSession.prototype, 'commitTransaction')
      .mockRejectedValue(new PoolClearedOnNetworkError());
    const error = await write(ctx, 'given up').catch((thrown: unknown) => thrown);
    commit.mockRestore();
    expect(isOutcomeUnknown(error)).toBe(true);
  });

  test('does not hold a batch of another, though its connection stays dark', () =>
    throughProxy(async (other, proxy) => {
      const run = async (keys: readonly string[]) => {
        for (const key of keys) await write(other, key, { deadlineMs: 500 });
        return keys;
      };
      const submit = (key: string) => other.batcher.submit(key, key, { maxWeight: 10, weigh: () => 1, run });
      await submit('light');
      // Every connection of now carries nothing more; the driver opens new ones.
      proxy.vanish();
      await expect(submit('dark')).rejects.toSatisfy(isStoreError);
      const isLight = () =>
        submit(`light again ${performance.now()}`).then(
          () => true,
          () => false,
        );
      await until(isLight, { timeoutMs: 15_000 });
    }));
});

// The embedded store lets a command end before it ends its session, so the answer of MongoDB is made here.
test('a transaction whose session was ended while a command ran is run again', async () => {
  let attempts = 0;
  await inTransaction(ctx.db, async (transaction) => {
    attempts += 1;
    await things(ctx).insertOne({ _id: 'interrupted', n: attempts }, { session: transaction });
    if (attempts === 1) throw new mongo.MongoServerError({ message: 'interrupted', code: 11_601 });
  });
  expect(await things(ctx).findOne({ _id: 'interrupted' })).toMatchObject({ n: 2 });
});

test('a batch that never ends fails, and the next one of its key runs', async () => {
  const run = async (items: readonly string[]) =>
    items.includes('hangs') ? new Promise<never>(() => undefined) : items;
  const batching = { maxWeight: 1, weigh: () => 1, deadlineMs: 100, run };
  const [hung, next] = await Promise.allSettled(
    ['hangs', 'runs'].map((item) => ctx.batcher.submit('one key', item, batching)),
  );
  expect(hung?.status === 'rejected' && isStoreError(hung.reason)).toBe(true);
  expect(next).toMatchObject({ status: 'fulfilled', value: 'runs' });
});

/** Work beside a guard of another process, which takes processes for dead after 4 s, with what it warns of. */
async function withGuard(
  work: (other: TestContext, warnings: readonly string[]) => Promise<void>,
  restAfterMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const other = await openTestContext({ sharing: ctx });
  const warnings: string[] = [];
  const destination = { write: (line: string) => void warnings.push(String(JSON.parse(line).msg)) };
  const log = createLog({ level: 'warn', process: 'test', destination });
  const guard = await startTransactionGuard(other.db, log, 4_000, restAfterMs);
  await work(other, warnings);
  await guard.stop();
  await instanceRows(ctx).deleteMany({});
  await other.close();
}

describe('the transaction guard', () => {
  const instances = () => instanceRows(ctx).find({}).toArray();
  const untilThereAre = (count: number) =>
    until(async () => (await instances()).length === count, { timeoutMs: 15_000 });
  const refused = (code: number) => new mongo.MongoServerError({ message: 'refused', code });

  /** Moves this process' monotonic clock forward. */
  function jump(ms: number) {
    const now = performance.now.bind(performance);
    return vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  }

  test('writes a process that was taken for dead down again, with the sessions that it writes in', () =>
    withGuard(async (other) => {
      await write(other, 'before the pause');
      const [own] = await instances();
      expect(own?.sessions).toHaveLength(1);
      // As another process leaves it that saw no heartbeat for four seconds.
      await instanceRows(ctx).deleteOne({ _id: own?._id ?? '' });
      await untilThereAre(1);
      expect((await instances())[0]?.sessions).toEqual(own?.sessions);
    }));

  test(
    'stops soon while the store is away: it owes no heartbeats',
    () =>
      throughProxy(async (other, proxy) => {
        let missed = 0;
        const write = () => {
          missed += 1;
        };
        const log = createLog({ level: 'debug', process: 'test', destination: { write } });
        const guard = await startTransactionGuard(other.db, log);
        proxy.mode = 'blackhole';
        await until(() => missed === 1);
        await guard.stop();
        expect(missed).toBeLessThanOrEqual(2);
        await instanceRows(ctx).deleteMany({});
      }),
    30_000,
  );

  test('leaves out a process that writes nothing, until within its next transaction', () =>
    withGuard(async (other) => {
      await untilThereAre(0);
      const guarded = await inTransaction(other.db, async (transaction) => {
        await things(other).insertOne({ _id: 'after a rest', n: 1 }, { session: transaction });
        return besideIt(instances);
      });
      expect(guarded.map(({ sessions }) => sessions.length)).toEqual([1]);
      await untilThereAre(0);
    }, 100));

  test('frees itself of every silent process where the server refuses to end sessions', async () => {
    for (const _id of ['silent 1', 'silent 2'])
      await instanceRows(ctx).insertOne({ _id, heartbeat: 1, sessions: ['00'.repeat(16)] });
    await withGuard(async (_other, warnings) => {
      const command = vi.spyOn(mongo.Db.prototype, 'command').mockRejectedValue(refused(8_000));
      await untilThereAre(1);
      expect(warnings.filter((message) => message.includes('refuses killSessions'))).toHaveLength(2);
      command.mockRestore();
    });
  }, 30_000);

  test('takes nobody for dead right after a time without a primary', async () => {
    await instanceRows(ctx).insertOne({ _id: 'also without a primary', heartbeat: 1, sessions: [] });
    await withGuard(async (other, warnings) => {
      const rows = instanceRows(other);
      const asked = vi.spyOn(rows, 'find');
      await until(() => asked.mock.calls.length > 0);
      const update = vi.spyOn(rows, 'updateOne').mockRejectedValue(refused(10_107));
      await until(() => update.mock.calls.length > 1);
      const later = jump(11_000);
      const before = asked.mock.calls.length;
      update.mockRestore();
      await until(() => asked.mock.calls.length > before + 1);
      expect(warnings).toEqual([]);
      later.mockRestore();
    });
  });

  test('forgets driver sessions that nobody has used for ten minutes', () =>
    withGuard(async (other) => {
      await write(other, 'long ago');
      const sessions = async () => (await instances()).flatMap((instance) => instance.sessions);
      expect(await sessions()).toHaveLength(1);
      const later = jump(601_000);
      await until(async () => (await sessions()).length === 0);
      later.mockRestore();
    }));
});
