import type { mongo } from 'mongoose';
import { type Clock, dateAt } from '../basics/clock.ts';
import {
  type Counts,
  countUpTo,
  type KeysetPage,
  type KeysetQuery,
  LIST_AHEAD_MS,
  type Listed,
  type ListPage,
  paginate,
} from '../basics/paginate.ts';
import type { DeclaredCollection } from './collection.ts';
import type { Db } from './connect.ts';
import { countLimit, firstSpan } from './embedded-ranges.ts';

type Range = Pick<KeysetPage, 'fromMs' | 'toMs'>;

/**
 * One page of matching rows whose time `field` is in [fromMs, toMs), by default of all, by (`field`, `_id`). Counts only without
 * `total`.
 */
export async function listRows<Row extends { _id: string }>(
  ctx: { db: Db; clock: Clock },
  of: DeclaredCollection<Row>,
  matching: mongo.Filter<Row>,
  field: keyof Row & string,
  asked: ListPage & Partial<Range>,
): Promise<Listed<Row>> {
  const rows = of(ctx);
  const page = { fromMs: 0, toMs: ctx.clock.now() + LIST_AHEAD_MS, ...asked };
  const [found, total] = await Promise.all([
    paginate(finderOf(rows, matching), field, { ...page, ...firstSpan(ctx.db, page) }),
    page.total ?? rows.countDocuments({ ...matching, ...inRange(field, page) }),
  ]);
  return { ...found, total };
}

/** The same of a list that may be long: `indexed` and the time are in an index, `filters` are not. */
export async function listLong<Row extends { _id: string }>(
  ctx: { db: Db },
  of: DeclaredCollection<Row>,
  { indexed, filters }: { indexed: mongo.Filter<Row>; filters: mongo.Filter<Row> },
  field: keyof Row & string,
  asked: ListPage & Range,
): Promise<Listed<Row>> {
  const rows = of(ctx);
  const page = { ...asked, ...firstSpan(ctx.db, asked) };
  const matching = { ...indexed, ...filters };
  const found = await paginate(finderOf(rows, matching), field, page);
  const countIn = (filter: mongo.Filter<Row>, options?: { limit?: number }) => (range: Range) =>
    rows.countDocuments({ ...filter, ...inRange(field, range) }, options);
  const isFiltered = Object.keys(filters).length > 0;
  const counts: Counts = {
    indexed: countIn(indexed, countLimit(ctx.db)),
    filtered: isFiltered ? countIn(matching) : null,
  };
  return { ...found, total: page.total ?? (await countUpTo(counts, field, page, found)) };
}

/** The condition that a time is in the range. */
export function inRange(field: string, { fromMs, toMs }: Range) {
  return { [field]: { $gte: dateAt(fromMs), $lt: dateAt(toMs) } };
}

function finderOf<Row extends { _id: string }>(rows: mongo.Collection<Row>, matching: mongo.Filter<Row>) {
  return async ({ filter, sort, limit }: KeysetQuery) =>
    (await rows.find({ ...matching, ...filter }, { sort, limit }).toArray()) as unknown[] as Row[];
}
