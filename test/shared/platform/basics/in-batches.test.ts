import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { inBatches, inTurns } from '../../../../shared/platform/basics/in-batches.ts';

const unnoticed = vi.fn();
afterEach(() => void process.off('unhandledRejection', unnoticed));

/** As a cursor that fetches: many turns pass between two items. */
async function* slowly(items: readonly number[]) {
  for (const item of items) {
    yield item;
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  }
}

test('gives the results in order, the last batch too', async () => {
  const results: number[] = [];
  for await (const result of inBatches(slowly([1, 2, 3, 4, 5]), 2, async (item) => item * 10))
    results.push(result);
  expect(results).toEqual([10, 20, 30, 40, 50]);
});

test('a failure reaches the caller, and no other handler, however long the next item takes', async () => {
  process.on('unhandledRejection', unnoticed);
  const work = (item: number) => Promise.reject(new Error(`item ${item}`));
  const run = async () => {
    for await (const _ of inBatches(slowly([1, 2, 3]), 5, work));
  };
  await expect(run()).rejects.toThrow('item 1');
  await nextTurn();
  expect(unnoticed).not.toHaveBeenCalled();
});

test('pieces of a list come in order, and others have a turn between two of them', async () => {
  const seen: unknown[] = [];
  for await (const piece of inTurns([1, 2, 3, 4, 5], 2)) {
    seen.push(piece);
    setImmediate(() => seen.push('another'));
  }
  expect(seen).toEqual([[1, 2], 'another', [3, 4], 'another', [5]]);
});
