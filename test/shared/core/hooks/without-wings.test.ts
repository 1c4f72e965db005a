import { expect, test } from 'vitest';
import { memberRows } from '../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../shared/core/accounts/organizations/read-organization.ts';
import { recordSignals } from '../../../../shared/core/calls/ingest/record-signals.ts';
import { findWorked } from '../../../../shared/core/calls/sessions/dimension.ts';
import { listSessions } from '../../../../shared/core/calls/sessions/list-sessions.ts';
import { signalRows } from '../../../../shared/core/calls/signals/model.ts';
import { readUsage } from '../../../../shared/core/calls/usage/read-usage.ts';
import { type Wing, wingsOf } from '../../../../shared/core/hooks/wing.ts';
import { eraseMember } from '../../../../shared/people/erase-member.ts';
import { exportMember } from '../../../../shared/people/export-member.ts';
import { addMember } from '../../../../shared/people/members.ts';
import { HOLD_ABOVE } from '../../../../shared/platform/basics/contract.ts';
import { DAY_MS } from '../../../../shared/platform/basics/interval.ts';
import { WINGS } from '../../../../shared/tables/wings.ts';
import { makeSignal, makeTenant, senderOf } from '../../../support/factories.ts';
import { storesFixture } from '../../../support/fixture.ts';
import type { TestContext } from '../../../support/harness.ts';

const { ctx } = await storesFixture({ wings: [] });

async function kindsOf(person: TestContext, orgId: string): Promise<Set<string>> {
  const kinds = new Set<string>();
  for await (const { kind } of exportMember(person, orgId, 'ada')) kinds.add(kind);
  return kinds;
}

test('a service without wings records signals, and exports and erases a person', async () => {
  expect(wingsOf(ctx)).toEqual([]);
  const { orgId } = await makeTenant(ctx);
  await addMember(ctx, { org_id: orgId, user_id: 'ada', email: 'ada@example.org', role: 'member' });
  const signal = makeSignal({ ts: ctx.clock.now(), user_id: 'ada', metadata: { note: 'mine' } });
  expect(await recordSignals(ctx, senderOf(orgId), [signal])).toMatchObject([{ status: 'accepted' }]);
  expect([...(await kindsOf(ctx, orgId))]).toEqual(
    expect.arrayContaining(['member', 'session', 'signal', 'usage_day']),
  );
  expect(await eraseMember(ctx, orgId, 'ada')).toMatchObject({ signals: 1 });
  expect(await memberRows(ctx).findOne({ org_id: orgId, user_id: 'ada' })).toMatchObject({ email: null });
});

test('a service without wings knows no work: filters by one find nothing, and groups have none', async () => {
  const { orgId } = await makeTenant(ctx);
  const signal = makeSignal({ ts: ctx.clock.now(), repository: 'acme/shop', branch: 'main' });
  expect(await recordSignals(ctx, senderOf(orgId), [signal])).toMatchObject([{ status: 'accepted' }]);
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
  const { orgId } = await makeTenant(ctx);
  const tokens_in = HOLD_ABOVE.tokens.default + 1;
  const said = { repository: 'example.org/shop/api', branch: 'fix-login', task: 'SHOP-1' };
  const posted = makeSignal({ ts: ctx.clock.now(), tokens_in, ...said });
  expect(await recordSignals(ctx, senderOf(orgId), [posted])).toMatchObject([{ status: 'accepted' }]);
  const row = await signalRows(ctx).findOne({ org_id: orgId });
  expect(row).toMatchObject({ tokens_in });
  for (const field of ['work', 'own', 'parts', 'client_session']) expect(row).not.toHaveProperty(field);
});

test('a wing adds what it keeps to the export of a person, and nothing where it is left out', async () => {
  const { orgId } = await makeTenant(ctx);
  await addMember(ctx, { org_id: orgId, user_id: 'ada', email: 'ada@example.org', role: 'member' });
  const wing: Wing = {
    name: 'things',
    person: {
      export: async function* (_ctx, { user_id }) {
        yield { kind: 'thing', data: { user_id } };
      },
    },
  };
  expect(await kindsOf(ctx, orgId)).not.toContain('thing');
  expect(await kindsOf({ ...ctx, wings: [wing] }, orgId)).toContain('thing');
});

test('the names of the wings are different', () => {
  expect(new Set(WINGS.map(({ name }) => name)).size).toBe(WINGS.length);
});
