import { expect, it } from 'vitest';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { countSessions } from '../../../../../shared/core/calls/usage/count-sessions.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const { ctx, orgId, record } = await storesFixture({ clock: NOW });

it('sessions until an end in the far future are as many as until none', async () => {
  await record({ ts: NOW - 86_400_000 }, { ts: NOW + 4 * 60_000, user_id: 'ahead' });
  const organization = await readOrganization(ctx, orgId);
  for (const toMs of [undefined, Date.parse('9999-12-31T00:00:00Z')])
    expect(await countSessions(ctx, organization, { toMs })).toBe(2);
});
