import type { ClientSession, mongo } from 'mongoose';
import { dateAt } from '../basics/clock.ts';
import {
  type Counts,
  countUpTo,
  type KeysetPage,
  type KeysetQuery,
  type Listed,
  type ListPage,
  paginate,
} from '../basics/paginate.ts';

type Range = Pick<KeysetPage, 'fromMs' | 'toMs'>;

/**
 * One page of the rows that match and whose `field`, a time, is in [fromMs, toMs), in order of (`field`, `_id`). Counts all of
 * them only when `total` is not known.
 */
export async function listRows<Row extends { _id: string }>(
  rows: mongo.Collection<Row>,
  matching: mongo.Filter<Row>,
  field: keyof Row & string,
  page: ListPage & Range,
): Promise<Listed<Row>> {
  const [found, total] = await Promise.all([
    paginate(finderOf(rows, matching), field, page),
    page.total ?? rows.countDocuments({ ...matching, ...within(field, page) }),
  ]);
  return { ...found, total };
}

/** The same of a list that may be long: `indexed` and the time are in an index, `filters` are not. */
export async function listLong<Row extends { _id: string }>(
  rows: mongo.Collection<Row>,
  { indexed, filters }: { indexed: mongo.Filter<Row>; filters: mongo.Filter<Row> },
  field: keyof Row & string,
  page: ListPage & Range,
): Promise<Listed<Row>> {
  const matching = { ...indexed, ...filters };
  const found = await paginate(finderOf(rows, matching), field, page);
  const countIn = (filter: mongo.Filter<Row>) => (range: Range) =>
    countRows(rows, { ...filter, ...within(field, range) });
  const isFiltered = Object.keys(filters).length > 0;
  const counts: Counts = { indexed: countIn(indexed), filtered: isFiltered ? countIn(matching) : null };
  return { ...found, total: page.total ?? (await countUpTo(counts, field, page, found)) };
}

/** Counts by an index, also where it holds a part of the filter only. */
export async function countRows<Row extends { _id: string }>(
  rows: mongo.Collection<Row>,
  filter: mongo.Filter<Row>,
  session?: ClientSession,
): Promise<number> {
  const stages = [{ $match: filter }, { $count: 'rows' }];
  const [counted] = await rows.aggregate<{ rows: number }>(stages, session ? { session } : {}).toArray();
  return counted?.rows ?? 0;
}

/** The condition that a time is in the range. */
export function within(field: string, { fromMs, toMs }: Range) {
  return { [field]: { $gte: dateAt(fromMs), $lt: dateAt(toMs) } };
}

function finderOf<Row extends { _id: string }>(rows: mongo.Collection<Row>, matching: mongo.Filter<Row>) {
  return async ({ filter, sort, limit }: KeysetQuery) =>
    (await rows.find({ ...matching, ...filter }, { sort, limit }).toArray()) as unknown[] as Row[];
}
