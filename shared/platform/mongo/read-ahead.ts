import { setImmediate as nextTurn } from 'node:timers/promises';
import type { mongo } from 'mongoose';

/** A cursor's rows, answer by answer, each in its own turn of the event loop; the store reads on meanwhile. */
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
