import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';

/** Rows that are checked and written in one turn of the event loop: a few milliseconds. */
const ROWS_PER_PIECE = 250;

/** True when the list of an answer is so long that others should have a turn while it is written. */
export function isLong(answer: unknown, list: string): answer is Record<string, object[]> {
  const rows = (answer as Record<string, unknown> | null)?.[list];
  return Array.isArray(rows) && rows.reduce((sum: number, row) => sum + rowsIn(row), 0) > ROWS_PER_PIECE;
}

/** A row and those that it holds itself, such as a group its series. */
function rowsIn(row: object): number {
  return Object.values(row).reduce((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 1);
}

/**
 * The JSON of an answer whose last member is a long list, piece by piece: other requests go on between them. Each piece
 * is checked before it is written, so that nothing leaks.
 */
export async function* inPieces(
  body: z.ZodObject,
  answer: Record<string, object[]>,
  list: string,
): AsyncGenerator<string> {
  const rows = answer[list] ?? [];
  const head = JSON.stringify(body.parse({ ...answer, [list]: [] }));
  yield head.slice(0, -']}'.length);
  const row = body.shape[list] as z.ZodArray;
  let from = 0;
  while (from < rows.length) {
    await nextTurn();
    let to = from;
    for (let size = 0; to < rows.length && size < ROWS_PER_PIECE; to += 1) size += rowsIn(rows[to] ?? {});
    const piece = JSON.stringify(row.parse(rows.slice(from, to)));
    yield `${from === 0 ? '' : ','}${piece.slice(1, -1)}`;
    from = to;
  }
  yield ']}';
}
