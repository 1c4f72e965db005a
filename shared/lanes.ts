import { isStoreError } from './errors.ts';

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
  /** When a batch ran less than this ago, the next one waits as long for company: a rare item goes at once. */
  gatherMs?: number;
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
  const lastRanMs = new Map<string, number>();

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
    const { gatherMs = 0 } = lane;
    while (queue.length > 0) {
      if (gatherMs > 0 && performance.now() - (lastRanMs.get(key) ?? Number.NEGATIVE_INFINITY) < gatherMs)
        await new Promise((resolve) => setTimeout(resolve, gatherMs));
      await settle(takeBatch(queue, lane), lane);
      if (gatherMs > 0) lastRanMs.set(key, performance.now());
    }
    queues.delete(key);
  }

  return {
    submit,
    idle: async () => {
      while (draining.size > 0) await Promise.all(draining);
    },
  };
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
