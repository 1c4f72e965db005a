import type { z } from 'zod';
import { nextTurn } from '../../shared/platform/basics/next-turn.ts';

/** Rows that are checked and written in one turn of the event loop: a few milliseconds. */
const ROWS_PER_PIECE = 250;

/** Whether the list of an answer is so long that nobody else should wait until it is written. */
export function isLong(answer: unknown, list: string): answer is Record<string, unknown[]> {
  const rows = (answer as Record<string, unknown> | null)?.[list];
  return Array.isArray(rows) && rows.length > ROWS_PER_PIECE;
}

/**
 * The JSON of an answer whose last member is a long list, piece by piece: other requests go on between them. Each piece
 * is checked before it is written, so that nothing leaks.
 */
export async function* inPieces(
  body: z.ZodObject,
  answer: Record<string, unknown[]>,
  list: string,
): AsyncGenerator<string> {
  const rows = answer[list] ?? [];
  const head = JSON.stringify(body.parse({ ...answer, [list]: [] }));
  yield head.slice(0, -']}'.length);
  const row = body.shape[list] as z.ZodArray;
  for (let from = 0; from < rows.length; from += ROWS_PER_PIECE) {
    await nextTurn();
    const piece = JSON.stringify(row.parse(rows.slice(from, from + ROWS_PER_PIECE)));
    yield `${from === 0 ? '' : ','}${piece.slice(1, -1)}`;
  }
  yield ']}';
}
