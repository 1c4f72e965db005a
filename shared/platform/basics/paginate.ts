import { dateAt } from './clock.ts';

/** Where a page ended: the sort key (a time in epoch ms) and the id of its last row, and how wide a range the page took. */
export interface Position {
  at: number;
  id: string;
  span: number;
}

export type Order = 'asc' | 'desc';

/** How far ahead of the clock a list reads: another process, whose clock is ahead, may just have written. Milliseconds. */
export const LIST_AHEAD_MS = 60_000;

/** A page of the half-open range of a list's sort key (epoch ms). */
export interface KeysetPage {
  order: Order;
  limit: number;
  after: Position | null;
  fromMs: number;
  toMs: number;
  /** The first range that is read, where it is not a minute. */
  firstSpanMs?: number | undefined;
}

/** The page of a list that is asked for. `total` is null while it is not known. */
export interface ListPage extends Pick<KeysetPage, 'order' | 'limit' | 'after'> {
  total: number | null;
}

/** A page of a list, where it ended, and how many rows the whole list has. */
export interface Listed<Row> {
  rows: Row[];
  hasMore: boolean;
  last: Position | null;
  total: number;
}

/** A part of the range and what order it is read in, as a store takes them. */
export interface KeysetQuery {
  filter: Record<string, unknown>;
  sort: Record<string, 1 | -1>;
  limit: number;
}

const FIRST_SPAN_MS = 60_000;
const GROWTH = 8;

/**
 * One page by keyset: rows in order of (`field`, `_id`), where `field` is a time that is stored as `storedAs` makes it. `find`
 * carries out one query; the filter that makes the list adds to the query's own. Reads bounded ranges of the field that
 * widen until the page is full, so that a page costs the same at any depth and size, also where a store reads a whole range
 * before it limits (docs/stores.md). `last` is null when nothing was found and nothing came before.
 */
export async function paginate<Row extends { _id: string }>(
  find: (query: KeysetQuery) => Promise<Row[]>,
  field: keyof Row & string,
  page: KeysetPage,
  storedAs: (epochMs: number) => Date | number = dateAt,
): Promise<{ rows: Row[]; hasMore: boolean; last: Position | null }> {
  const { order, after, limit } = page;
  const isDescending = order === 'desc';
  const direction = isDescending ? -1 : 1;
  const rows: Row[] = [];
  const read = async (filter: Record<string, unknown>) => {
    const sort = { [field]: direction, _id: direction } as const;
    rows.push(...(await find({ filter, sort, limit: limit + 1 - rows.length })));
  };
  if (after) await read({ [field]: storedAs(after.at), _id: { [isDescending ? '$lt' : '$gt']: after.id } });
  const startMs = startOf(page);
  let edgeMs = startMs;
  let spanMs = after?.span ?? page.firstSpanMs ?? FIRST_SPAN_MS;
  while (rows.length <= limit && (isDescending ? edgeMs > page.fromMs : edgeMs < page.toMs)) {
    const fromMs = isDescending ? Math.max(page.fromMs, edgeMs - spanMs) : edgeMs;
    const toMs = isDescending ? edgeMs : Math.min(page.toMs, edgeMs + spanMs);
    await read({ [field]: { $gte: storedAs(fromMs), $lt: storedAs(toMs) } });
    edgeMs = isDescending ? fromMs : toMs;
    spanMs *= GROWTH;
  }
  const last = rows.slice(0, limit).at(-1);
  return {
    rows: rows.slice(0, limit),
    hasMore: rows.length > limit,
    last: last ? positionAfter(Number(last[field]), last._id, startMs) : after,
  };
}

function startOf({ order, after, fromMs, toMs }: KeysetPage): number {
  if (order === 'desc') return after ? Math.min(after.at, toMs) : toMs;
  return after ? Math.max(after.at + 1, fromMs) : fromMs;
}

/** The next page begins with a range a little wider than this page took. */
function positionAfter(atMs: number, id: string, startMs: number): Position {
  return { at: atMs, id, span: Math.max(1_000, Math.ceil(Math.abs(startMs - atMs) * 1.25)) };
}

/** The same page of rows that are all at hand, which the list consists of. Pure. */
export function pageOfSorted<Row extends { _id: string }>(
  all: readonly Row[],
  field: keyof Row & string,
  { order, limit, after }: Pick<KeysetPage, 'order' | 'limit' | 'after'>,
): Listed<Row> {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (at: number, id: string, other: { at: number; id: string }) =>
    sign * (at - other.at || (id === other.id ? 0 : id < other.id ? -1 : 1));
  const rest = all
    .toSorted((a, b) => compare(Number(a[field]), a._id, { at: Number(b[field]), id: b._id }))
    .filter((row) => after === null || compare(Number(row[field]), row._id, after) > 0);
  const rows = rest.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows,
    hasMore: rest.length > limit,
    last: last ? { at: Number(last[field]), id: last._id, span: 1_000 } : after,
    total: all.length,
  };
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
