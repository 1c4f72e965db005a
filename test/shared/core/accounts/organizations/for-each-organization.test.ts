import { beforeAll, expect, test } from 'vitest';
import { forEachOrganization } from '../../../../../shared/core/accounts/organizations/for-each-organization.ts';
import { organizationRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const { ctx, orgId } = await storesFixture();
const ids = Array.from({ length: 200 }, (_, index) => `org_${String(index).padStart(3, '0')}`);
beforeAll(async () => {
  const organization = await readOrganization(ctx, orgId);
  await organizationRows(ctx).deleteMany({ _id: orgId });
  await organizationRows(ctx).insertMany(ids.map((_id) => ({ ...organization, _id })));
});

test('every organization has its turn once, one that fails stops no other, and no cursor is kept open meanwhile', async () => {
  const commands: string[] = [];
  ctx.db.connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
  const seen: string[] = [];
  await forEachOrganization(ctx, 'the work failed', async ({ _id }) => {
    seen.push(_id);
    if (_id === 'org_001' || _id === 'org_099') throw new Error('always');
  });
  expect(seen).toEqual(ids);
  expect(commands.filter((name) => name === 'find').length).toBeGreaterThan(1);
  expect(commands).not.toContain('getMore');
});
