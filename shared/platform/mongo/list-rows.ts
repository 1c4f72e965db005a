import type { mongo } from 'mongoose';
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
    page.total ?? rows.countDocuments({ ...matching, ...inRange(field, page) }),
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
    rows.countDocuments({ ...filter, ...inRange(field, range) });
  const isFiltered = Object.keys(filters).length > 0;
  const counts: Counts = { indexed: countIn(indexed), filtered: isFiltered ? countIn(matching) : null };
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
