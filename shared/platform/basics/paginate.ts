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
  /** The first range that is read, and counted, where it is not a minute. */
  firstSpanMs?: number | undefined;
}

/** The page of a list that is asked for. `total` is null while it is not known. */
export interface ListPage extends Pick<KeysetPage, 'order' | 'limit' | 'after'> {
  total: number | null;
}

/** A page of a list, where it ended, and how many rows the whole list has, of a long list as `countUpTo` says. */
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

/** Lists that may be long are counted to here. */
export const COUNTED_ROWS = 10_000;
/** Each range of a count by that of the one before: a count looks at twice as many rows as it needs, at most. */
const COUNT_GROWTH = 2;

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
  const spanMs = after?.span ?? page.firstSpanMs ?? FIRST_SPAN_MS;
  for (const { fromMs, toMs } of widening(page, startMs, spanMs, GROWTH)) {
    if (rows.length > limit) break;
    await read({ [field]: { $gte: storedAs(fromMs), $lt: storedAs(toMs) } });
  }
  const last = rows.slice(0, limit).at(-1);
  return {
    rows: rows.slice(0, limit),
    hasMore: rows.length > limit,
    last: last ? positionAfter(Number(last[field]), last._id, startMs) : after,
  };
}

/** The ranges of a list from a moment on, in its order, each `growth` times as wide as the one before. */
function* widening(page: KeysetPage, startMs: number, firstSpanMs: number, growth: number) {
  const isDescending = page.order === 'desc';
  let edgeMs = startMs;
  let spanMs = firstSpanMs;
  while (isDescending ? edgeMs > page.fromMs : edgeMs < page.toMs) {
    const fromMs = isDescending ? Math.max(page.fromMs, edgeMs - spanMs) : edgeMs;
    const toMs = isDescending ? edgeMs : Math.min(page.toMs, edgeMs + spanMs);
    yield { fromMs, toMs };
    edgeMs = isDescending ? fromMs : toMs;
    spanMs *= growth;
  }
}

type Count = (range: Pick<KeysetPage, 'fromMs' | 'toMs'>) => Promise<number>;

/** How the rows of a long list are counted in a range of the time. */
export interface Counts {
  /** All that an index finds. */
  indexed: Count;
  /** Those of them that meet filters which no index holds; null without such filters. */
  filtered: Count | null;
}

/**
 * How many rows a long list has: those of its first page where they are all, else as many as are counted in ranges that widen
 * from the page's, as a store may count a whole range before it limits (docs/stores.md). Above `COUNTED_ROWS` where more than
 * these are to be looked at.
 */
export async function countUpTo<Row>(
  { indexed, filtered }: Counts,
  field: keyof Row & string,
  page: KeysetPage,
  found: Omit<Listed<Row>, 'total'>,
): Promise<number> {
  if (page.after === null && !found.hasMore) return found.rows.length;
  const whole = { ...page, after: null };
  const [first] = page.after === null ? found.rows : [];
  const isDescending = page.order === 'desc';
  const startMs = first ? Number(first[field]) + (isDescending ? 1 : 0) : startOf(whole);
  const ofPage = first && found.last ? positionAfter(found.last.at, '', startMs).span : FIRST_SPAN_MS;
  const spanMs = page.firstSpanMs ?? ofPage;
  let rows = 0;
  for (const range of widening(whole, startMs, spanMs, COUNT_GROWTH)) {
    rows += await indexed(range);
    if (rows > COUNTED_ROWS) return rows;
  }
  return filtered ? filtered({ ...page, [isDescending ? 'toMs' : 'fromMs']: startMs }) : rows;
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
