import { afterEach, describe, expect, test, vi } from 'vitest';
import { readThroughCache } from '../../../../shared/platform/context/read-through-cache.ts';
import { storesFixture } from '../../../support/fixture.ts';
import { until } from '../../../support/harness.ts';

const { ctx } = await storesFixture();
afterEach(() => vi.restoreAllMocks());

test('what is large or not known yet makes nothing else old while its read does not end', async () => {
  const stuck = new Set(['new']);
  const cache = readThroughCache(
    'test',
    async (_ctx, known) => {
      for (const key of known.keys()) if (stuck.has(key)) await new Promise(() => undefined);
      return new Map([...known.keys()].map((key) => [key, key]));
    },
    { max: 10, isSmall: (key) => key === 'small' },
  )(ctx);
  await Promise.all([cache.get('small'), cache.get('large')]);
  stuck.add('large');
  await expect(cache.get('new')).rejects.toThrow('longer');
  await until(async () => (await cache.get('large'))?.isFresh === false);
  expect(await cache.get('small')).toMatchObject({ value: 'small', isFresh: true });
});

/** Moves the monotonic clock ahead. */
function moveClock(): (ms: number) => void {
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  return (ms) => {
    aheadMs += ms;
  };
}

/** A cache of one value, and a store that does as it is told. */
function openStore() {
  const store = { value: 'old', reads: 0, read: async (value: string) => value };
  const cache = readThroughCache(
    'test',
    async (_ctx, known) => {
      store.reads += 1;
      const value = await store.read(store.value);
      return new Map([...known.keys()].map((key) => [key, value]));
    },
    { max: 10 },
  )(ctx);
  return { store, cache };
}

describe('a value that is older than a second', () => {
  test('is fresh again when the read that is under way has ended, however slow it is', async () => {
    const advance = moveClock();
    const { store, cache } = openStore();
    const { promise, resolve } = Promise.withResolvers<string>();
    await cache.get('key');
    store.read = () => promise;
    await until(() => store.reads === 2);
    // The read has gone on for 700 ms, and the value before is older than a second.
    advance(700);
    const found = cache.get('key');
    setTimeout(() => resolve('new'), 50);
    expect(await found).toMatchObject({ value: 'new', isFresh: true });
  });

  test('is not waited for while reads fail', async () => {
    const advance = moveClock();
    const { store, cache } = openStore();
    const { promise, resolve } = Promise.withResolvers<string>();
    await cache.get('key');
    store.read = () => Promise.reject(new Error('away'));
    await until(() => store.reads >= 2);
    store.read = () => promise;
    const before = store.reads;
    await until(() => store.reads > before);
    advance(1_001);
    let hasEnded = false;
    setTimeout(() => {
      hasEnded = true;
      resolve('late');
    }, 400);
    const { oldestMs, ...found } = (await cache.get('key')) ?? { oldestMs: 0 };
    expect([found, hasEnded]).toEqual([{ value: 'old', isFresh: false }, false]);
    expect(performance.now() - oldestMs).toBeGreaterThanOrEqual(1_000);
    await until(async () => (await cache.get('key'))?.isFresh);
  });

  test('is what is older than a second, and no younger one', async () => {
    const { store, cache } = openStore();
    // Whole milliseconds: a fraction plus 1,000 less 1,000 need not be the same fraction.
    let nowMs = Math.ceil(performance.now());
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    await cache.get('key');
    store.read = () => Promise.reject(new Error('away'));
    nowMs += 1_000;
    expect(await cache.get('key')).toEqual({ value: 'old', isFresh: true, oldestMs: nowMs - 1_000 });
    nowMs += 1;
    expect(await cache.get('key')).toMatchObject({ value: 'old', isFresh: false });
  });
});

describe('what has changed', () => {
  test('is read again, and nothing from before is returned', async () => {
    const { store, cache } = openStore();
    const { promise, resolve } = Promise.withResolvers<void>();
    store.read = async (value) => {
      await promise;
      return value;
    };
    const first = cache.get('key');
    await until(() => store.reads === 1);
    store.value = 'new';
    const renewed = cache.renew('key');
    resolve();
    expect(await first).toMatchObject({ value: 'old' });
    await renewed;
    expect(await cache.get('key')).toMatchObject({ value: 'new', isFresh: true });
  });

  test('is not brought back by a read that began before', async () => {
    const { store, cache } = openStore();
    const [before, after] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    store.read = (value) => before.promise.then(() => value);
    const first = cache.get('key');
    await until(() => store.reads === 1);
    store.value = 'new';
    store.read = (value) => after.promise.then(() => value);
    const renewed = cache.renew('key');
    before.resolve();
    await first;
    expect(cache.has('key')).toBe(false);
    after.resolve();
    await renewed;
    expect(await cache.get('key')).toMatchObject({ value: 'new' });
  });

  test('is forgotten when it cannot be read', async () => {
    const { store, cache } = openStore();
    await cache.get('key');
    expect(cache.has('key')).toBe(true);
    store.value = 'new';
    store.read = () => Promise.reject(new Error('away'));
    await cache.renew('key');
    expect(cache.has('key')).toBe(false);
    await expect(cache.get('key')).rejects.toThrow('away');
    store.read = async (value) => value;
    expect(await cache.get('key')).toMatchObject({ value: 'new', isFresh: true });
  });
});
