import type { mongo } from 'mongoose';
import { dateAt } from '../basics/clock.ts';
import { type KeysetQuery, type Listed, type ListPage, paginate } from '../basics/paginate.ts';

/**
 * One page of the rows that match and whose `field`, a time, is in [fromMs, toMs), in order of (`field`, `_id`). Counts all of
 * them only when `total` is not known.
 */
export async function listRows<Row extends { _id: string }>(
  rows: mongo.Collection<Row>,
  matching: mongo.Filter<Row>,
  field: keyof Row & string,
  page: ListPage & { fromMs: number; toMs: number },
): Promise<Listed<Row>> {
  const find = async ({ filter, sort, limit }: KeysetQuery) =>
    (await rows.find({ ...matching, ...filter }, { sort, limit }).toArray()) as unknown[] as Row[];
  const range = { [field]: { $gte: dateAt(page.fromMs), $lt: dateAt(page.toMs) } };
  const [found, total] = await Promise.all([
    paginate(find, field, page),
    page.total ?? rows.countDocuments({ ...matching, ...range }),
  ]);
  return { ...found, total };
}
