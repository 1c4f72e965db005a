import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreError } from '../basics/errors.ts';
import { within } from '../basics/within.ts';

/**
 * Group commit. Within one process, one batch per key is in flight; what arrives meanwhile joins the next one. A batch
 * that fails is run again item by item, so that one poisoned item never fails its neighbours; a store that cannot be
 * reached fails them all at once.
 */
export interface Batcher {
  submit<Item, Result>(key: string, item: Item, batching: Batching<Item, Result>): Promise<Result>;
  /** Resolves when nothing is in flight or waiting. */
  idle(): Promise<void>;
}

/** How items of one kind are batched and run. */
export interface Batching<Item, Result> {
  /** The most weight that one batch takes; a heavier single item goes alone. */
  maxWeight: number;
  weigh(item: Item): number;
  /**
   * How long a busy key waits for more between two batches (milliseconds; default not at all), but no longer than until
   * as many wait as were just answered or waited then. Those that were answered come again; without a wait they and the
   * others would take turns in batches of half the size.
   */
  lingerMs?: number;
  /** How many, just answered or waiting, make a key busy (default 2). */
  lingerFrom?: number;
  /**
   * A batch that took at least this long (milliseconds; default none does) is followed by a rest of its key, as long as the
   * batch took but no longer than a second: then the stores are there for others.
   */
  restAfterMs?: number;
  /** How long one batch may take (milliseconds; default 20 s) before it fails and the next one goes on. */
  deadlineMs?: number;
  /** Returns one result per item, in order. Throws to fail the whole batch: then nothing of it may have been kept. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
}

/** Above the deadline of a transaction, which knows whether anything was kept. */
const BATCH_DEADLINE_MS = 20_000;

const LONGEST_REST_MS = 1_000;

interface Waiting {
  item: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Queue {
  waiting: Waiting[];
  /** Called when something has joined, while the key waits for more. */
  onJoin?: (() => void) | undefined;
}

export function createBatcher(): Batcher {
  const queues = new Map<string, Queue>();
  const draining = new Set<Promise<void>>();

  function submit<Item, Result>(key: string, item: Item, batching: Batching<Item, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const entry: Waiting = { item, resolve: resolve as (result: unknown) => void, reject };
      const queue = queues.get(key);
      if (queue) {
        queue.waiting.push(entry);
        queue.onJoin?.();
        return;
      }
      const fresh = { waiting: [entry] };
      queues.set(key, fresh);
      const drained = drain(key, fresh, batching as Batching<unknown, unknown>).finally(() =>
        draining.delete(drained),
      );
      draining.add(drained);
    });
  }

  async function drain(key: string, queue: Queue, batching: Batching<unknown, unknown>): Promise<void> {
    // Items of the same turn of the event loop go together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    do {
      const batch = takeBatch(queue.waiting, batching);
      const startedMs = performance.now();
      await resolveBatch(batch, batching);
      const tookMs = performance.now() - startedMs;
      if (tookMs >= (batching.restAfterMs ?? Number.POSITIVE_INFINITY))
        await sleep(Math.min(tookMs, LONGEST_REST_MS));
      const expected = batch.length + queue.waiting.length;
      if (expected >= (batching.lingerFrom ?? 2)) await linger(queue, expected, batching);
    } while (queue.waiting.length > 0);
    queues.delete(key);
  }

  return {
    submit,
    idle: async () => {
      while (draining.size > 0) await Promise.all(draining);
    },
  };
}

/** Waits until all that are expected have joined, a batch is full, or it has waited for as long as it may. */
async function linger(queue: Queue, expected: number, batching: Batching<unknown, unknown>): Promise<void> {
  const { lingerMs = 0, maxWeight } = batching;
  const isEnough = () => queue.waiting.length >= expected || weightOf(queue.waiting, batching) >= maxWeight;
  if (lingerMs === 0 || isEnough()) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      queue.onJoin = undefined;
      resolve();
    };
    const timer = setTimeout(end, lingerMs);
    queue.onJoin = () => {
      if (isEnough()) end();
    };
  });
}

function weightOf(queue: readonly Waiting[], batching: Batching<unknown, unknown>): number {
  return queue.reduce((sum, { item }) => sum + batching.weigh(item), 0);
}

function takeBatch(queue: Waiting[], batching: Batching<unknown, unknown>): Waiting[] {
  let weight = 0;
  let count = 0;
  for (const entry of queue) {
    weight += batching.weigh(entry.item);
    if (count > 0 && weight > batching.maxWeight) break;
    count += 1;
  }
  return queue.splice(0, count);
}

async function resolveBatch(batch: Waiting[], batching: Batching<unknown, unknown>): Promise<void> {
  try {
    const running = batching.run(batch.map((entry) => entry.item));
    const results = await within(batching.deadlineMs ?? BATCH_DEADLINE_MS, 'A batch', running);
    batch.forEach((entry, index) => {
      entry.resolve(results[index]);
    });
  } catch (error) {
    if (batch.length === 1 || isStoreError(error)) {
      for (const entry of batch) entry.reject(error);
      return;
    }
    for (const entry of batch) await resolveBatch([entry], batching);
  }
}
