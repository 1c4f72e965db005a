import { expect, test } from 'vitest';
import { memberRows } from '../../../../shared/core/accounts/organizations/model.ts';
import { recordSignals } from '../../../../shared/core/calls/ingest/record-signals.ts';
import { wingsOf } from '../../../../shared/core/hooks/wing.ts';
import { eraseMember } from '../../../../shared/people/erase-member.ts';
import { exportMember } from '../../../../shared/people/export-member.ts';
import { addMember } from '../../../../shared/people/members.ts';
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

test('a wing adds what it keeps to the export of a person, and nothing where it is left out', async () => {
  const { orgId } = await makeTenant(ctx);
  await addMember(ctx, { org_id: orgId, user_id: 'ada', email: 'ada@example.org', role: 'member' });
  const digests = WINGS.filter(({ name }) => name === 'digests');
  expect(await kindsOf(ctx, orgId)).not.toContain('preferences');
  expect(await kindsOf({ ...ctx, wings: digests }, orgId)).toContain('preferences');
});

test('the names of the wings are different', () => {
  expect(new Set(WINGS.map(({ name }) => name)).size).toBe(WINGS.length);
});
