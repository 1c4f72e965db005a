import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Order, type Position, walkPage } from '../../../../shared/platform/basics/paginate.ts';

interface Row {
  atMs: number;
  id: string;
}

function pagesOf(rows: Row[], order: Order, limit: number, fromMs: number, toMs: number) {
  const sign = order === 'desc' ? -1 : 1;
  const sorted = rows.toSorted((a, b) => sign * (a.atMs - b.atMs || (a.id < b.id ? -1 : 1)));
  let queries = 0;
  const page = (after: Position | null) =>
    walkPage<Row>({
      order,
      limit,
      fromMs,
      toMs,
      after,
      position: (row) => row,
      fetchRange: async (from, to, most) => {
        queries += 1;
        return sorted.filter((row) => row.atMs >= from && row.atMs < to).slice(0, most);
      },
      fetchTies: async (at, id, most) =>
        sorted
          .filter((row) => row.atMs === at && (order === 'desc' ? row.id < id : row.id > id))
          .slice(0, most),
    });
  const inRange = sorted.filter((row) => row.atMs >= fromMs && row.atMs < toMs);
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
            atMs: time * 30_000,
            id: `r${String(index).padStart(3, '0')}`,
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
    const { page, queries } = pagesOf([{ atMs: 5, id: 'a' }], 'desc', 20, 0, year);
    expect((await page(null)).rows).toHaveLength(1);
    expect(queries()).toBeLessThanOrEqual(8);
  });
});
