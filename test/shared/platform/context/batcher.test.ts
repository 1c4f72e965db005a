import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../../shared/platform/basics/errors.ts';
import { type Batching, createBatcher } from '../../../../shared/platform/context/batcher.ts';
import { PoolClearedOnNetworkError } from '../../../support/store-errors.ts';

function batchingOf(
  run: (items: readonly number[]) => Promise<number[]>,
  maxWeight = 3,
): Batching<number, number> {
  return { maxWeight, weigh: () => 1, run };
}

describe('a batcher', () => {
  it('runs at once what comes in one turn, and joins what arrives meanwhile, up to the weight', async () => {
    const batcher = createBatcher();
    const batches: number[][] = [];
    const batching = batchingOf(async (items) => {
      batches.push([...items]);
      await new Promise((resolve) => setImmediate(resolve));
      return items.map((item) => item * 2);
    });
    const results = await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.submit('k', item, batching)));
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(results).toEqual([2, 4, 6, 8, 10]);
    await batcher.idle();
  });

  it('runs the items of a failed batch one by one, so that only the poisoned one fails', async () => {
    const batcher = createBatcher();
    const batching = batchingOf(async (items) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (items.includes(3)) throw new DomainError('conflict', 'three');
      return [...items];
    });
    const settled = await Promise.allSettled([1, 2, 3, 4].map((item) => batcher.submit('k', item, batching)));
    expect(settled.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails all at once when the store is away, instead of waiting for it item by item', async () => {
    const batcher = createBatcher();
    let runs = 0;
    const batching = batchingOf(async () => {
      runs += 1;
      await new Promise((resolve) => setImmediate(resolve));
      throw new PoolClearedOnNetworkError();
    });
    const settled = await Promise.allSettled([1, 2, 3, 4].map((item) => batcher.submit('k', item, batching)));
    expect(settled.every((one) => one.status === 'rejected')).toBe(true);
    expect(runs).toBe(2);
  });

  it('waits, where it is told to, for those that the last batch has answered, so that none take turns', async () => {
    const sizesWith = async (lingering: { lingerMs?: number }) => {
      const batcher = createBatcher();
      const sizes: number[] = [];
      const run = async (items: readonly number[]) => {
        sizes.push(items.length);
        await new Promise((resolve) => setImmediate(resolve));
        return [...items];
      };
      const batching = { ...batchingOf(run, 100), ...lingering };
      const client = async (item: number) => {
        for (let turn = 0; turn < 4; turn += 1) {
          await batcher.submit('k', item, batching);
          for (let turns = 0; turns < item; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await Promise.all([1, 2, 3, 4].map(client));
      return sizes;
    };
    expect((await sizesWith({})).length).toBeGreaterThan(4);
    expect(await sizesWith({ lingerMs: 20 })).toEqual([4, 4, 4, 4]);
  });

  it('rests after a long batch, where it is told to: it has been answered, and the next one begins later', async () => {
    const orderWith = async (resting: { restAfterMs?: number }) => {
      const batcher = createBatcher();
      const order: string[] = [];
      const run = async (items: readonly number[]) => {
        order.push(`begins ${items.join()}`);
        await new Promise((resolve) => setTimeout(resolve, 30));
        return [...items];
      };
      const batching = { ...batchingOf(run, 1), ...resting };
      const first = batcher.submit('k', 1, batching);
      const second = batcher.submit('k', 2, batching);
      await first;
      await new Promise((resolve) => setTimeout(resolve));
      order.push('answered 1');
      await second;
      await batcher.idle();
      return order;
    };
    expect(await orderWith({ restAfterMs: 5 })).toEqual(['begins 1', 'answered 1', 'begins 2']);
    expect(await orderWith({ restAfterMs: 10_000 })).toEqual(['begins 1', 'begins 2', 'answered 1']);
    expect(await orderWith({})).toEqual(['begins 1', 'begins 2', 'answered 1']);
  });

  it('keeps keys apart', async () => {
    const batcher = createBatcher();
    const held = Promise.withResolvers<void>();
    const slow = batchingOf(async (items) => held.promise.then(() => [...items]));
    const fast = batchingOf(async (items) => [...items]);
    const waiting = batcher.submit('slow', 1, slow);
    expect(await batcher.submit('fast', 2, fast)).toBe(2);
    held.resolve();
    expect(await waiting).toBe(1);
  });
});
