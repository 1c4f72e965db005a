import { dateAt } from './clock.ts';

/** Where a page ended: the sort key (epoch ms) and the id of its last row, and how wide a range the page took. */
export interface Position {
  atMs: number;
  id: string;
  spanMs: number;
}

export type Order = 'asc' | 'desc';

export interface Walk<Row> {
  order: Order;
  /** Half-open range of the sort key, epoch ms. */
  fromMs: number;
  toMs: number;
  after: Position | null;
  limit: number;
  /** Rows with `fromMs <= key < toMs`, in order of (key, id), at most `limit`. */
  fetchRange(fromMs: number, toMs: number, limit: number): Promise<Row[]>;
  /** Rows whose key is exactly `atMs` and whose id lies beyond `id`, in order of id, at most `limit`. */
  fetchTies(atMs: number, id: string, limit: number): Promise<Row[]>;
  position(row: Row): { atMs: number; id: string };
}

const FIRST_SPAN_MS = 60_000;
const GROWTH = 8;

/**
 * One page by keyset. Reads bounded ranges of the sort key that widen until the page is full, so that its cost
 * depends on neither depth nor collection size, also where a store reads a whole range before it limits
 * (docs/stores.md). `last` is null when nothing was found and nothing came before.
 */
export async function walkPage<Row>(
  walk: Walk<Row>,
): Promise<{ rows: Row[]; hasMore: boolean; last: Position | null }> {
  const wanted = walk.limit + 1;
  const rows = walk.after ? await walk.fetchTies(walk.after.atMs, walk.after.id, wanted) : [];
  let edge = startEdge(walk);
  let span = walk.after?.spanMs ?? FIRST_SPAN_MS;
  while (rows.length < wanted && inside(walk, edge)) {
    const [fromMs, toMs, next] = rangeFrom(walk, edge, span);
    rows.push(...(await walk.fetchRange(fromMs, toMs, wanted - rows.length)));
    edge = next;
    span *= GROWTH;
  }
  const hasMore = rows.length > walk.limit;
  const page = rows.slice(0, walk.limit);
  return { rows: page, hasMore, last: lastPosition(walk, page) };
}

function startEdge<Row>({ order, after, fromMs, toMs }: Walk<Row>): number {
  if (order === 'desc') return after ? Math.min(after.atMs, toMs) : toMs;
  return after ? Math.max(after.atMs + 1, fromMs) : fromMs;
}

function inside<Row>({ order, fromMs, toMs }: Walk<Row>, edge: number): boolean {
  return order === 'desc' ? edge > fromMs : edge < toMs;
}

function rangeFrom<Row>(walk: Walk<Row>, edge: number, span: number): [number, number, number] {
  if (walk.order === 'desc') {
    const fromMs = Math.max(walk.fromMs, edge - span);
    return [fromMs, edge, fromMs];
  }
  const toMs = Math.min(walk.toMs, edge + span);
  return [edge, toMs, toMs];
}

/** The next page begins with a range a little wider than this page took. */
function lastPosition<Row>(walk: Walk<Row>, page: readonly Row[]): Position | null {
  const last = page.at(-1);
  if (last === undefined) return walk.after;
  const { atMs, id } = walk.position(last);
  const took = Math.abs(startEdge(walk) - atMs);
  return { atMs, id, spanMs: Math.max(1_000, Math.ceil(took * 1.25)) };
}

/** How far ahead of the clock a list reads: another process, whose clock is ahead, may just have written. Milliseconds. */
export const LIST_AHEAD_MS = 60_000;

/** What a list is asked for: a page of the half-open range of its sort key (epoch ms). */
export interface KeysetPage {
  order: Order;
  limit: number;
  after: Position | null;
  fromMs: number;
  toMs: number;
}

/** A part of the range and what order it is read in, as a store takes them. */
export interface KeysetQuery {
  filter: Record<string, unknown>;
  sort: Record<string, 1 | -1>;
  limit: number;
}

/**
 * One page of rows in order of (`field`, `_id`), where `field` is a time. `find` carries out one query; the filter that
 * makes the list adds to the query's own. See `walkPage` for how.
 */
export async function paginate<Row extends { _id: string }>(
  find: (query: KeysetQuery) => Promise<Row[]>,
  field: keyof Row & string,
  page: KeysetPage,
): Promise<{ rows: Row[]; hasMore: boolean; last: Position | null }> {
  const direction = page.order === 'desc' ? -1 : 1;
  const beyond = page.order === 'desc' ? '$lt' : '$gt';
  const ask = (filter: Record<string, unknown>, limit: number) =>
    find({ filter, sort: { [field]: direction, _id: direction }, limit });
  return walkPage<Row>({
    ...page,
    position: (row) => ({ atMs: (row[field] as Date).getTime(), id: row._id }),
    fetchRange: (fromMs, toMs, limit) => ask({ [field]: { $gte: dateAt(fromMs), $lt: dateAt(toMs) } }, limit),
    fetchTies: (atMs, id, limit) => ask({ [field]: dateAt(atMs), _id: { [beyond]: id } }, limit),
  });
}

/** Every row of the range, page by page: memory stays flat, and a slow reader keeps no cursor open. */
export async function* allPages<Row extends { _id: string }>(
  find: (query: KeysetQuery) => Promise<Row[]>,
  field: keyof Row & string,
  range: Omit<KeysetPage, 'after'>,
): AsyncGenerator<Row[]> {
  let after: Position | null = null;
  let hasMore = true;
  while (hasMore) {
    const page: Awaited<ReturnType<typeof paginate<Row>>> = await paginate(find, field, { ...range, after });
    yield page.rows;
    ({ last: after, hasMore } = page);
  }
}
