import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { isReply, type Reply, reply } from '../basics/route.ts';
import { answerInTime } from './answer-in-time.ts';
import { compressed, compressor } from './compress.ts';
import type { Exchange } from './exchange.ts';

/** Sends what the handler answered. A body's shape is checked first, so that nothing leaks. */
export async function send(exchange: Exchange, answer: unknown): Promise<void> {
  const { route, res } = exchange;
  const { status, body, list, contentType = 'application/json' } = route.success;
  res.statusCode = status;
  res.setHeader('Cache-Control', 'no-store');
  // RFC 6749 section 5.1.
  if (route.errorStyle === 'oauth') res.setHeader('Pragma', 'no-cache');
  if (isReply(answer)) {
    if (answer.status !== undefined) res.statusCode = answer.status;
    await sendReply(exchange, answer, contentType);
  } else if (body && list !== undefined && isLong(answer, list)) {
    await sendReply(exchange, reply(inPieces(body as z.ZodObject, answer, list)), contentType);
  } else if (body) {
    await sendReply(exchange, reply(JSON.stringify(body.parse(answer))), contentType);
  } else {
    res.end();
  }
}

async function sendReply({ route, req, res, guards }: Exchange, answer: Reply, contentType: string) {
  const { content, headers = {} } = answer;
  if (typeof content === 'string' || Buffer.isBuffer(content)) {
    if (content.length > 0) res.type(contentType);
    res.set(headers);
    // A text goes out with the headers in one write, bytes in a second one.
    const bytes = await compressed(req, res, content);
    res.setHeader('Content-Length', Buffer.byteLength(bytes));
    res.end(req.method === 'HEAD' ? undefined : bytes);
    return;
  }
  if (req.method === 'HEAD') {
    res.type(contentType).set(headers).end();
    return;
  }
  const chunks = content[Symbol.asyncIterator]();
  // A failure before the first chunk is answered by a problem document, a later one by cutting the connection.
  const first = await answerInTime(route, chunks.next()).catch((error: unknown) => {
    // It may still come, and then nobody takes the next one.
    chunks.return?.().catch(() => undefined);
    throw error;
  });
  res.type(contentType).set(headers);
  const cut = setTimeout(() => res.destroy(), guards.longestAnswerMs);
  const failures: unknown[] = [];
  const rest = resume(first, chunks, (error) => failures.push(error));
  try {
    const source = Readable.from(rest, { objectMode: true, highWaterMark: 1 });
    const gzip = compressor(req, res);
    await (gzip ? pipeline(source, gzip, res) : pipeline(source, res));
  } catch (error) {
    // A caller that went away, or was cut, is not our failure.
    if (failures.length > 0) throw error;
  } finally {
    clearTimeout(cut);
    await chunks.return?.();
  }
}

/** The remaining chunks. Calls `onFailure` with the error that making one of them threw. */
async function* resume<Chunk>(
  first: IteratorResult<Chunk>,
  rest: AsyncIterator<Chunk>,
  onFailure: (error: unknown) => void,
) {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

/** Rows that are checked and written in one turn of the event loop: a few milliseconds. */
const ROWS_PER_PIECE = 250;

/** True when the list of an answer is so long that others should have a turn while it is written. */
function isLong(answer: unknown, list: string): answer is Record<string, object[]> {
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
async function* inPieces(
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
