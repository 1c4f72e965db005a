import { expect, test } from 'vitest';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { indexOrder } from '../../../shared/tables/index-order.ts';
import { storesFixture } from '../../support/fixture.ts';

const { ctx } = await storesFixture();

test('an index without the id gives way to the one that has it, once, and the others stay', async () => {
  const namesOf = async (rows: typeof auditRows | typeof signalRows) =>
    (await ctx.db.database.collection(rows.collectionName).indexes())
      .map(({ name }) => String(name))
      .toSorted((a, b) => a.localeCompare(b));
  const [audit, signals] = [await namesOf(auditRows), await namesOf(signalRows)];
  await ctx.db.database.collection(auditRows.collectionName).createIndex({ org_id: 1, at: 1 });
  await ctx.db.database.collection(auditRows.collectionName).dropIndex('org_id_1_at_1__id_1');
  await ctx.db.database.collection(signalRows.collectionName).createIndex({ work: 1, ts: 1 });
  for (const _ of ['first', 'again']) {
    await indexOrder.run(ctx.db);
    expect(await namesOf(auditRows)).toEqual(audit);
    expect(await namesOf(signalRows)).toEqual(signals);
  }
});
