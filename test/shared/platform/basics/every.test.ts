import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every } from '../../../../shared/platform/basics/every.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('turns that come while the work runs are left out, and what runs is waited for', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  let isStopped = false;
  const stop = every(1_000, () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toHaveLength(2);
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([runs.length, isStopped]).toEqual([2, false]);
  runs[1]?.resolve();
  await stopped;
});
