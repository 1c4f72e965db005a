import { expect, test } from 'vitest';
import { admitRows } from '../../../../shared/wings/refusals/admit-rows.ts';
import { MOST_ROWS, refusalMinuteRows } from '../../../../shared/wings/refusals/model.ts';
import { storesFixture } from '../../../support/fixture.ts';

const { ctx, orgId } = await storesFixture();

test('processes that ask at once get 1,000 rows of a minute together, and the same row only once; another organization and minute have their own', async () => {
  const minute = { orgId, startMs: 60_000 };
  const ask = (from: number, length: number) =>
    admitRows(
      ctx,
      minute,
      Array.from({ length }, (_, index) => `rfs_${from + index}`),
    );
  // Neighbours share half of their rows.
  const answers = await Promise.all([0, 200, 400, 600, 800].map((from) => ask(from, 400)));
  const row = await refusalMinuteRows(ctx).findOne({ org_id: orgId });
  expect(row?.rows).toHaveLength(MOST_ROWS);
  expect(new Set(row?.rows).size).toBe(MOST_ROWS);
  for (const answer of answers) for (const id of answer) expect(row?.rows).toContain(id);
  expect(await ask(0, 1_200)).toEqual(new Set(row?.rows));
  for (const other of [{ orgId: 'org_other' }, { startMs: 120_000 }])
    expect(await admitRows(ctx, { ...minute, ...other }, ['rfs_new'])).toEqual(new Set(['rfs_new']));
});
