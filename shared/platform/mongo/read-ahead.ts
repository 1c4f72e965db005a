import { setImmediate as nextTurn } from 'node:timers/promises';
import type { mongo } from 'mongoose';

/**
 * The rows of a cursor, those of one answer at a time, each in a turn of the event loop of its own. The store reads the next ones
 * while these are used.
 */
export async function* readAhead<Row>(cursor: mongo.FindCursor<Row>): AsyncGenerator<Row[]> {
  try {
    let hasMore = cursor.hasNext();
    while (await hasMore) {
      const rows = cursor.readBufferedDocuments();
      hasMore = cursor.hasNext();
      // Nobody waits for them when the reader stops here.
      hasMore.catch(() => undefined);
      yield rows;
      await nextTurn();
    }
  } finally {
    await cursor.close();
  }
}
