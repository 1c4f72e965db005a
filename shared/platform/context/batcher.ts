import { setTimeout as wait } from 'node:timers/promises';
import { isStoreError } from '../basics/errors.ts';

/**
 * Group commit. Within one process, one batch per key is in flight; what arrives meanwhile joins the next one.
 * A batch that fails is run again item by item, so that one poisoned item never fails its neighbours; a store that cannot be reached fails them all at once.
 */
export interface Lanes {
  submit<Item, Result>(key: string, item: Item, lane: Lane<Item, Result>): Promise<Result>;
  /** Resolves when nothing is in flight or waiting. */
  idle(): Promise<void>;
}

export interface Lane<Item, Result> {
  /** The most weight that one batch takes; a heavier single item goes alone. */
  maxWeight: number;
  weigh(item: Item): number;
  /**
   * How long a lane that is busy waits for more between two batches (milliseconds; default not at all). Those that were
   * just answered come again; without a wait they and the others would take turns in batches of half the size.
   */
  gatherMs?: number;
  /** How many, just answered or waiting, make a lane busy (default 2). */
  gatherFrom?: number;
  /** One result per item, in order. Throws to fail the whole batch: then nothing of it may have been kept. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
}

interface Waiting {
  item: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export function createLanes(): Lanes {
  const queues = new Map<string, Waiting[]>();
  const draining = new Set<Promise<void>>();

  function submit<Item, Result>(key: string, item: Item, lane: Lane<Item, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const entry: Waiting = { item, resolve: resolve as (result: unknown) => void, reject };
      const queue = queues.get(key);
      if (queue) {
        queue.push(entry);
        return;
      }
      const fresh = [entry];
      queues.set(key, fresh);
      const drained = drain(key, fresh, lane as Lane<unknown, unknown>).finally(() =>
        draining.delete(drained),
      );
      draining.add(drained);
    });
  }

  async function drain(key: string, queue: Waiting[], lane: Lane<unknown, unknown>): Promise<void> {
    // What comes in the same turn of the event loop goes together.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    do {
      const batch = takeBatch(queue, lane);
      await settle(batch, lane);
      const isBusy = batch.length + queue.length >= (lane.gatherFrom ?? 2);
      if (lane.gatherMs && isBusy && weightOf(queue, lane) < lane.maxWeight) await wait(lane.gatherMs);
    } while (queue.length > 0);
    queues.delete(key);
  }

  return {
    submit,
    idle: async () => {
      while (draining.size > 0) await Promise.all(draining);
    },
  };
}

function weightOf(queue: readonly Waiting[], lane: Lane<unknown, unknown>): number {
  return queue.reduce((sum, { item }) => sum + lane.weigh(item), 0);
}

function takeBatch(queue: Waiting[], lane: Lane<unknown, unknown>): Waiting[] {
  let weight = 0;
  let count = 0;
  for (const entry of queue) {
    weight += lane.weigh(entry.item);
    if (count > 0 && weight > lane.maxWeight) break;
    count += 1;
  }
  return queue.splice(0, count);
}

async function settle(batch: Waiting[], lane: Lane<unknown, unknown>): Promise<void> {
  try {
    const results = await lane.run(batch.map((entry) => entry.item));
    batch.forEach((entry, index) => {
      entry.resolve(results[index]);
    });
  } catch (error) {
    if (batch.length === 1 || isStoreError(error)) {
      for (const entry of batch) entry.reject(error);
      return;
    }
    for (const entry of batch) await settle([entry], lane);
  }
}
