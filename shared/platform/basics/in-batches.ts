/**
 * Works through a stream, `size` items side by side, and yields the results in order. A batch begins when it is whole: what
 * began before would have nobody to notice its failure while the next item is waited for, which ends a process.
 */
export async function* inBatches<Item, Result>(
  items: AsyncIterable<Item>,
  size: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield* await Promise.all(batch.map(work));
    batch = [];
  }
  yield* await Promise.all(batch.map(work));
}
