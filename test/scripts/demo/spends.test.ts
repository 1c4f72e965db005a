import { expect, test } from 'vitest';
import { ensureDemoDevice } from '../../../scripts/demo/devices.ts';
import { spendDemoCredits } from '../../../scripts/demo/spends.ts';
import { memberRows } from '../../../shared/core/accounts/organizations/model.ts';
import { fixture } from '../../support/fixture.ts';
import { makePerson, type Person } from '../../support/people.ts';

const { idp, api } = await fixture({ idp: true });

test('three members have spent credits, once, however often it is played', async () => {
  const { ctx } = api;
  const first = await makePerson(ctx, idp, { role: 'admin' });
  const people = [first];
  while (people.length < 14) people.push(await makePerson(ctx, idp, { orgId: first.orgId }));
  const members = await Promise.all(
    people.map(async ({ accountId, userId }) => {
      const account = await memberRows(ctx).findOne({ _id: accountId });
      if (!account) throw new Error('no member');
      const device = await ensureDemoDevice(ctx, account);
      const person = { user_id: userId, email: `${userId}@example.org`, name: userId };
      return { ...person, role: 'member' as const, teams: [], session_token: null, mcp_token: null, device };
    }),
  );
  const org = { org_id: first.orgId, members };
  const spend = () => spendDemoCredits(api.url, org, AbortSignal.timeout(60_000));
  const totalOf = async ({ session }: Person) => (await api.call('/v1/balance', { key: session })).body.total;
  const totals = () => Promise.all(people.map(totalOf));
  const before = await totals();
  await spend();
  await spend();
  const after = await totals();
  const spent = before.map((total, place) => total - after[place]).filter((credits) => credits !== 0);
  expect(spent).toEqual([34, 9, 87]);
});
