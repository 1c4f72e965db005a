import { setImmediate as nextTurn } from 'node:timers/promises';

type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/** A stream in arrays of `size` items, the last of what is left. Nothing is yielded for an empty stream. */
export async function* batches<Item>(items: Items<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Works through a stream, `size` items side by side, and yields the results in order. A batch begins when it is whole: what
 * began before would have nobody to notice its failure while the next item is waited for, which ends a process.
 */
export async function* inBatches<Item, Result>(
  items: Items<Item>,
  size: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  for await (const batch of batches(items, size)) yield* await Promise.all(batch.map(work));
}

/** A list in pieces of `size` items, each but the first in a turn of the event loop of its own: others have theirs meanwhile. */
export async function* inTurns<Item>(items: readonly Item[], size: number): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await nextTurn();
    yield items.slice(from, from + size);
  }
}
