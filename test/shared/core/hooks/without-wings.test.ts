import { expect, test } from 'vitest';
import { memberRows } from '../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../shared/core/accounts/organizations/read-organization.ts';
import { findWorked } from '../../../../shared/core/calls/sessions/dimension.ts';
import { listSessions } from '../../../../shared/core/calls/sessions/list-sessions.ts';
import { signalRows } from '../../../../shared/core/calls/signals/model.ts';
import { readUsage } from '../../../../shared/core/calls/usage/read-usage.ts';
import { type Wing, wingsOf } from '../../../../shared/core/hooks/wing.ts';
import { eraseMember } from '../../../../shared/people/erase-member.ts';
import { exportMember } from '../../../../shared/people/export-member.ts';
import { HOLD_ABOVE } from '../../../../shared/platform/basics/contract.ts';
import { DAY_MS } from '../../../../shared/platform/basics/interval.ts';
import { WINGS } from '../../../../shared/tables/wings.ts';
import { storesFixture } from '../../../support/fixture.ts';
import type { TestContext } from '../../../support/harness.ts';

const own = await storesFixture({ wings: [], perTest: true });
const { ctx } = own;

/** Records a call of ada's, which is accepted. */
const call = (fields: object) => own.record({ ts: ctx.clock.now(), ...fields });

async function kindsOf(person: TestContext): Promise<Set<string>> {
  const kinds = new Set<string>();
  for await (const { kind } of exportMember(person, own.orgId, 'ada')) kinds.add(kind);
  return kinds;
}

test('a service without wings records signals, and exports and erases a person', async () => {
  expect(wingsOf(ctx)).toEqual([]);
  const { orgId } = own;
  await own.member('ada');
  await call({ metadata: { note: 'mine' } });
  expect([...(await kindsOf(ctx))]).toEqual(
    expect.arrayContaining(['member', 'session', 'signal', 'usage_day']),
  );
  expect(await eraseMember(ctx, orgId, 'ada')).toMatchObject({ signals: 1 });
  expect(await memberRows(ctx).findOne({ org_id: orgId, user_id: 'ada' })).toMatchObject({ email: null });
});

test('a service without wings knows no work: filters by one find nothing, and groups have none', async () => {
  const { orgId } = own;
  await call({ repository: 'acme/shop', branch: 'main' });
  const filter = await findWorked(ctx, orgId, { branch: 'main' });
  const page = { order: 'desc', limit: 10, after: null, sort: 'started_at', total: 1 } as const;
  expect((await listSessions(ctx, orgId, filter, page)).rows).toEqual([]);
  expect((await listSessions(ctx, orgId, await findWorked(ctx, orgId, {}), page)).rows).toHaveLength(1);
  const toMs = ctx.clock.now() + DAY_MS;
  const question = { toMs, interval: 'none', groupBy: ['branch'], filter: {} } as const;
  const { groups } = await readUsage(ctx, await readOrganization(ctx, orgId), question);
  expect(groups).toMatchObject([{ key: { branch: null }, signals: 1 }]);
});

test('without wings no signal is held, and none belongs to a branch', async () => {
  const tokens_in = HOLD_ABOVE.tokens.default + 1;
  await call({ tokens_in, repository: 'example.org/shop/api', branch: 'fix-login', task: 'SHOP-1' });
  const row = await signalRows(ctx).findOne({ org_id: own.orgId });
  expect(row).toMatchObject({ tokens_in });
  for (const field of ['work', 'own', 'parts', 'client_session']) expect(row).not.toHaveProperty(field);
});

test('a wing adds what it keeps to the export of a person, and nothing where it is left out', async () => {
  await own.member('ada');
  const wing: Wing = {
    name: 'things',
    person: {
      export: async function* (_ctx, { user_id }) {
        yield { kind: 'thing', data: { user_id } };
      },
    },
  };
  expect(await kindsOf(ctx)).not.toContain('thing');
  expect(await kindsOf({ ...ctx, wings: [wing] })).toContain('thing');
});

test('the names of the wings are different', () => {
  expect(new Set(WINGS.map(({ name }) => name)).size).toBe(WINGS.length);
});
