import { expect, test } from 'vitest';
import { boundedCache } from '../../../../shared/platform/context/per-context.ts';
import { storesFixture } from '../../../support/fixture.ts';
import { openTestContext } from '../../../support/harness.ts';

const { ctx, clock } = await storesFixture({ clock: true });

test('the entry that was used longest ago makes room', () => {
  const cache = boundedCache<string, number>({ max: 2 })(ctx);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  cache.delete('a');
  expect(cache.get('a')).toBeUndefined();
});

test('an entry goes its lifetime after it was set, also one that was set or used at the start', () => {
  const cache = boundedCache<string, true>({ max: 2, ttlMs: 1_000 })(ctx);
  cache.set('key', true);
  clock.advance(999);
  clock.shift(-5_000);
  expect(cache.get('key')).toBe(true);
  clock.advance(1);
  expect(cache.get('key')).toBeUndefined();
});

test('sets no room aside for entries that it does not have', () => {
  const cacheOf = boundedCache<string, true>({ max: 1_000_000 });
  const before = process.memoryUsage().arrayBuffers;
  cacheOf(ctx).set('key', true);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
});

test('each process has its own', async () => {
  const cacheOf = boundedCache<string, true>({ max: 2 });
  cacheOf(ctx).set('key', true);
  const other = await openTestContext({ sharing: ctx });
  expect([cacheOf(ctx).get('key'), cacheOf(other).get('key')]).toEqual([true, undefined]);
  await other.close();
});
