import { expect, test } from 'vitest';
import { allAccounts } from '../../../../shared/core/credits/meter/work-on-accounts.ts';
import { creditAccountRows } from '../../../../shared/core/credits/model.ts';
import { storesFixture } from '../../../support/fixture.ts';

const { ctx } = await storesFixture();
const commands: string[] = [];
ctx.db.connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));

test('all accounts come a thousand at a time, so that no cursor waits long for the work on them', async () => {
  const anchor = { day: 1, time: '00:00:00', timezone: 'UTC' };
  const account = { org_id: 'org', plan: 'free', anchor, created_at: new Date(0) } as const;
  const ids = Array.from({ length: 2_500 }, (_, index) => `usr_${index}`);
  await creditAccountRows(ctx).insertMany(ids.map((id) => ({ ...account, _id: id, user_id: id })));
  commands.length = 0;
  const found = new Set<string>();
  for await (const { _id } of allAccounts(ctx)) found.add(_id);
  expect(found).toEqual(new Set(ids));
  expect(commands).toEqual(['find', 'getMore', 'getMore']);
});
