import { expect, test } from 'vitest';
import { inTransaction } from '../../../../../shared/platform/mongo/transaction.ts';
import { workRows } from '../../../../../shared/wings/work/attribution/model.ts';
import {
  sumWorks,
  type WorkColumn,
  type WorkSums,
} from '../../../../../shared/wings/work/costs/sum-works.ts';
import { api, daysAgo, orgId, setUpShop, spend } from '../../../../support/shop.ts';

setUpShop();

test('more works than are asked one by one cost what they cost one by one, for each reader and by each column', async () => {
  const users = ['ada', 'bob'];
  // Several quarter hours of one day, and the day before.
  for (const days of [0.1, 0.2, 1.1])
    await spend(
      ...Array.from({ length: 205 }, (_, index): [number, string, number, string] => [
        daysAgo(days),
        `branch-${index}`,
        (index + 1) / 8,
        users[index % 2] ?? 'ada',
      ]),
    );
  const rows = await workRows(api.ctx).find({ org_id: orgId }).toArray();
  const works = rows.map(({ _id }) => _id);
  expect(works).toHaveLength(205);
  const sums = (asked: readonly string[], userId: string | null, columns: readonly WorkColumn[]) =>
    inTransaction(api.ctx.db, (transaction) =>
      sumWorks(api.ctx, { orgId, userId }, { works: asked, columns }, transaction),
    );
  const inOrder = (found: readonly WorkSums[]) =>
    found
      .map((row) =>
        JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
      )
      .toSorted();
  for (const userId of [null, 'bob'])
    for (const columns of [[], ['user_id'], ['model', 'start']] as const) {
      const together = await sums(works, userId, columns);
      const halves = [
        ...(await sums(works.slice(0, 100), userId, columns)),
        ...(await sums(works.slice(100), userId, columns)),
      ];
      expect(together.length).toBeGreaterThan(100);
      expect(inOrder(together)).toEqual(inOrder(halves));
    }
});
