import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COUNTED_ROWS,
  countUpTo,
  type KeysetQuery,
  type Order,
  type Position,
  paginate,
} from '../../../../shared/platform/basics/paginate.ts';

interface Row {
  _id: string;
  at: number;
}

function pagesOf(rows: Row[], order: Order, limit: number, fromMs: number, toMs: number) {
  const sign = order === 'desc' ? -1 : 1;
  const sorted = rows.toSorted((a, b) => sign * (a.at - b.at || (a._id < b._id ? -1 : 1)));
  let queries = 0;
  const find = async ({ filter: { at, _id }, limit: most }: KeysetQuery) => {
    queries += 1;
    const { $gte, $lt } = (typeof at === 'number' ? { $gte: at, $lt: at + 1 } : at) as Record<string, number>;
    const beyond = Object.values((_id ?? {}) as object)[0] as string | undefined;
    const isBeyond = (id: string) => beyond === undefined || (order === 'desc' ? id < beyond : id > beyond);
    return sorted
      .filter((row) => row.at >= Number($gte) && row.at < Number($lt) && isBeyond(row._id))
      .slice(0, most);
  };
  const page = (after: Position | null) =>
    paginate<Row>(find, 'at', { order, limit, fromMs, toMs, after }, Number);
  const inRange = sorted.filter(({ at }) => at >= fromMs && at < toMs);
  return { page, inRange, queries: () => queries };
}

describe('a walk by pages', () => {
  it('shows every row of the range once, in order, also many of one moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }),
        fc.constantFrom<Order>('asc', 'desc'),
        fc.integer({ min: 1, max: 7 }),
        async (times, order, limit) => {
          const rows = times.map((time, index) => ({
            at: time * 30_000,
            _id: `r${String(index).padStart(3, '0')}`,
          }));
          const { page, inRange } = pagesOf(rows, order, limit, 60_000, 1_400_000);
          const seen: Row[] = [];
          let after: Position | null = null;
          for (let turn = 0; turn <= 61; turn += 1) {
            const { rows: found, hasMore, last } = await page(after);
            seen.push(...found);
            after = last;
            if (!hasMore) break;
          }
          expect(seen).toEqual(inRange);
          expect((await page(after)).rows).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('asks a handful of times, however far apart the rows lie', async () => {
    const year = 365 * 86_400_000;
    const { page, queries } = pagesOf([{ at: 5, _id: 'a' }], 'desc', 20, 0, year);
    expect((await page(null)).rows).toHaveLength(1);
    expect(queries()).toBeLessThanOrEqual(8);
  });
});

describe('the total of a long list', () => {
  const counting = async (
    times: readonly number[],
    order: Order,
    filtered: (() => Promise<number>) | null = null,
  ) => {
    const page = { order, limit: 20, after: null, fromMs: 1_000, toMs: 2_000_000_000 };
    const rows = times.map((at, index) => ({ at, _id: `r${index}` }));
    const { page: read, inRange } = pagesOf(rows, order, page.limit, page.fromMs, page.toMs);
    let looked = 0;
    const indexed = async ({ fromMs, toMs }: { fromMs: number; toMs: number }) => {
      const some = times.filter((at) => at >= fromMs && at < toMs).length;
      looked += some;
      return some;
    };
    const total = await countUpTo({ indexed, filtered }, 'at', page, await read(null));
    return { total, looked, all: inRange.length };
  };

  it('is exact up to its bound, wherever the rows are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 2_100_000_000 }), { maxLength: 200 }),
        fc.constantFrom<Order>('asc', 'desc'),
        async (times, order) => {
          const { total, looked, all } = await counting(times, order);
          expect(total).toBe(all);
          if (all <= 20) expect(looked).toBe(0);
        },
      ),
    );
    const full = Array.from({ length: COUNTED_ROWS }, (_, index) => 2_000 + index * 1_000);
    expect((await counting(full, 'desc')).total).toBe(COUNTED_ROWS);
  });

  it.each(['asc', 'desc'] as const)('looks at twice as many rows at most: %s', async (order) => {
    const times = Array.from({ length: 20 * COUNTED_ROWS }, (_, index) => 2_000 + index * 1_000);
    const { total, looked } = await counting(times, order);
    expect(total).toBeGreaterThan(COUNTED_ROWS);
    expect(looked).toBeLessThan(2.1 * COUNTED_ROWS);
  });

  it('is of the rows that meet all filters, where few are to be looked at', async () => {
    const times = Array.from({ length: 100 }, (_, index) => 2_000 + index * 1_000);
    expect((await counting(times, 'desc', async () => 40)).total).toBe(40);
  });
});
