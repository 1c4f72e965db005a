import { expect, test } from 'vitest';
import { organizationVersionRows } from '../../../../shared/core/accounts/organizations/versions.ts';
import { findByIds } from '../../../../shared/platform/mongo/find-by-ids.ts';
import { inTransaction } from '../../../../shared/platform/mongo/transaction.ts';
import { storesFixture } from '../../../support/fixture.ts';

const { ctx } = await storesFixture();

test('finds the rows of however many ids, 500 per command', async () => {
  const rows = Array.from({ length: 1_203 }, (_, n) => ({ _id: `row-${n}`, org_id: 'org', version: n }));
  await organizationVersionRows(ctx).insertMany(rows);
  const asked: number[] = [];
  ctx.db.connection.getClient().on('commandStarted', ({ command }) => {
    if (command.find) asked.push(command.filter._id.$in.length);
  });
  const ids = [...rows.map(({ _id }) => _id), 'no-such-row'];
  const find = (some: readonly string[]) =>
    inTransaction(ctx.db, (transaction) => findByIds(organizationVersionRows(ctx), some, transaction));
  expect(new Set((await find(ids)).map(({ version }) => version))).toEqual(
    new Set(rows.map(({ version }) => version)),
  );
  expect(asked).toEqual([500, 500, 204]);
  expect(await find([])).toEqual([]);
});
