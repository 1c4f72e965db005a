import { COUNTED_ROWS, type KeysetPage } from '../basics/paginate.ts';
import type { Db } from './connect.ts';

/**
 * The embedded MongoDB reads the whole range of an index before it limits, and holds everybody up while it makes one answer. So a
 * list comes in ranges that widen, and a long answer in small pieces. MongoDB stops at the limit, and needs nothing of this file.
 * Once `find` with `limit: 1` of a large collection takes as long for all time as for a minute, the file can go.
 */
type Embedded = Pick<Db, 'isEmbedded'>;

/** The first range that a page of a list is looked for in: all of it, where a store stops at the limit. */
export function firstSpan(
  { isEmbedded }: Embedded,
  { fromMs, toMs }: Pick<KeysetPage, 'fromMs' | 'toMs'>,
): Pick<KeysetPage, 'firstSpanMs'> {
  return isEmbedded ? {} : { firstSpanMs: toMs - fromMs };
}

/** The options of a count that nobody wants beyond `COUNTED_ROWS`. */
export function countLimit({ isEmbedded }: Embedded): { limit?: number } {
  return isEmbedded ? {} : { limit: COUNTED_ROWS + 1 };
}

/** Rows of one answer about usage. They are decoded in one turn of the event loop. */
export function rowsPerAnswer({ isEmbedded }: Embedded): number {
  return isEmbedded ? 200 : 1_000;
}
