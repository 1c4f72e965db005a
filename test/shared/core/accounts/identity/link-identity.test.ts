import { expect, test } from 'vitest';
import { findMemberByIdentity } from '../../../../../shared/core/accounts/identity/find-member.ts';
import { linkIdentity } from '../../../../../shared/core/accounts/identity/link-identity.ts';
import { memberRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const { ctx, orgId, member } = await storesFixture();

test('an identity moves with the issuer, there and back, and is never of two members', async () => {
  const [ada, bob] = [await member('ada'), await member('bob')];
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

test('who has turned the invitation down is a member like any other once an operator links the identity', async () => {
  const eve = await member('eve');
  const idp = { iss: 'http://127.0.0.1:1', sub: 'eve' };
  await memberRows(ctx).updateOne({ _id: eve._id }, { $set: { declined_at: eve.created_at } });
  await linkIdentity(ctx, orgId, 'eve', idp);
  expect(await findMemberByIdentity(ctx, idp)).toEqual({ ...eve, idp });
});
