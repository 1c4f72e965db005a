import { beforeAll, expect, test } from 'vitest';
import { findMemberByIdentity } from '../../../../../shared/core/accounts/identity/find-member.ts';
import { linkIdentity } from '../../../../../shared/core/accounts/identity/link-identity.ts';
import { createOrganization } from '../../../../../shared/core/accounts/organizations/create-organization.ts';
import { memberRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const { ctx } = await storesFixture();
let orgId: string;
beforeAll(async () => {
  orgId = (await createOrganization(ctx, { name: 'Test', plan: 'team' }))._id;
});

test('an identity moves with the issuer, there and back, and is never of two members', async () => {
  const add = (user_id: string) =>
    addMember(ctx, { org_id: orgId, email: `${user_id}@example.org`, role: 'member', user_id });
  const [ada, bob] = [await add('ada'), await add('bob')];
  const [old, next] = [
    { iss: 'http://127.0.0.1:1', sub: 'ada' },
    { iss: 'http://127.0.0.1:2', sub: 'ada' },
  ];
  for (const idp of [old, old, next, old]) {
    await linkIdentity(ctx, orgId, 'ada', idp);
    expect(await findMemberByIdentity(ctx, idp)).toEqual({ ...ada, idp });
  }
  expect(await findMemberByIdentity(ctx, next)).toBeNull();
  await expect(linkIdentity(ctx, orgId, 'bob', old)).rejects.toMatchObject({ code: 'conflict' });
  expect(await memberRows(ctx).findOne({ _id: bob._id })).toEqual(bob);
  await expect(linkIdentity(ctx, orgId, 'nobody', next)).rejects.toMatchObject({ code: 'not_found' });
});
