import { describe, expect, test, vi } from 'vitest';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { creditAccountRows } from '../../shared/core/credits/model.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { accountKeys } from '../../shared/platform/redis/keys.ts';
import { fixture } from '../support/fixture.ts';
import { linkDevice, makePerson } from '../support/people.ts';

const f = await fixture({ clock: '2026-03-01T10:00:00Z', idp: true, redis: true });
const { api, ctx, idp } = f;

const read = (key: string, orgId: string) => f.send(`/v1/org/${orgId}/balances`, undefined, { key });

describe('GET /v1/org/{orgId}/balances', () => {
  test('says of every present member what GET /v1/balance says to that member', async () => {
    const { _id: orgId } = await createOrganization(ctx, { name: 'Test', plan: 'team' });
    const people = [
      await makePerson(ctx, idp, { orgId, role: 'admin' }),
      await makePerson(ctx, idp, { orgId }),
      await makePerson(ctx, idp, { orgId }),
    ];
    const [admin, spender, gone] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
    await linkDevice(api, spender);
    await f.send(
      '/admin/credits',
      { org_id: orgId, user_id: spender.userId, bucket: 'granted', amount: 7 },
      { key: ctx.config.operatorToken, headers: { 'Idempotency-Key': 'k' } },
    );
    await removeMember(ctx, orgId, gone.userId);
    const { status, body } = await read(admin.session, orgId);
    expect(status).toBe(200);
    const own = await Promise.all(
      [admin, spender].map(async ({ userId, session }) => ({
        user_id: userId,
        ...(await f.ask('/v1/balance', undefined, { key: session })),
      })),
    );
    expect(body).toEqual({ data: own.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)) });
    expect(body.data.map(({ total }: { total: number }) => total).toSorted()).toEqual([4_200, 4_207]);
  });

  test('lists more members than are read at once, by user id, and asks for none of those without an account', async () => {
    const admin = await makePerson(ctx, idp, { role: 'admin' });
    const ids = Array.from({ length: 120 }, (_, index) => `user-${String(index).padStart(3, '0')}`);
    for (const user_id of ids)
      await addMember(ctx, { org_id: admin.orgId, user_id, email: `${user_id}@example.org`, role: 'member' });
    const asked = vi.spyOn(creditAccountRows(ctx), 'findOne');
    const { body } = await read(admin.session, admin.orgId);
    expect(asked).not.toHaveBeenCalled();
    expect(body.data.map(({ user_id }: { user_id: string }) => user_id)).toEqual(
      [...ids, admin.userId].toSorted(),
    );
  });

  test('is 403 to a member', async () => {
    const member = await makePerson(ctx, idp);
    const { status, body } = await read(member.session, member.orgId);
    expect([status, body.code]).toEqual([403, 'missing_scope']);
  });

  test('shows the others while the shard of one is shut or its account is lost, and is 503 when nobody can be told', async () => {
    const admin = await makePerson(ctx, idp, { role: 'admin' });
    const member = await makePerson(ctx, idp, { orgId: admin.orgId });
    await Promise.all([admin, member].map((person) => linkDevice(api, person)));
    const totals = async () => {
      const { body } = await read(admin.session, admin.orgId);
      return Object.fromEntries(
        body.data.map((row: { user_id: string; total: number }) => [row.user_id, row.total]),
      );
    };
    const { epoch, account } = accountKeys(member.accountId);
    const fields = await ctx.redis.producer.hgetall(account);
    await ctx.redis.producer.del(account);
    expect(await totals()).toEqual({ [admin.userId]: 4_200, [member.userId]: null });
    await ctx.redis.producer.hset(account, fields);
    await ctx.redis.producer.del(epoch);
    if (epoch !== accountKeys(admin.accountId).epoch)
      expect(await totals()).toEqual({ [admin.userId]: 4_200, [member.userId]: null });
    await ctx.redis.producer.del(accountKeys(admin.accountId).epoch);
    expect((await read(admin.session, admin.orgId)).body.code).toBe('rebuilding');
    await recoverCredits(ctx);
    expect(await totals()).toEqual({ [admin.userId]: 4_200, [member.userId]: 4_200 });
  });
});
