import { expect, test, vi } from 'vitest';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { creditAccountRows } from '../../shared/core/credits/model.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { accountKeys } from '../../shared/platform/redis/keys.ts';
import { fixture } from '../support/fixture.ts';
import { linkDevice } from '../support/people.ts';

const start = '2026-03-01T10:00:00Z';
const f = await fixture({ clock: start, idp: true, redis: true, admin: true, perTest: true });
const { api, ctx } = f;

const read = () => f.send(`/v1/org/${f.orgId}/balances`, undefined, { key: f.admin });

test('the balances are of every present member, as GET /v1/balance says them to that member', async () => {
  const [spender, gone] = [await f.person(), await f.person()];
  await linkDevice(api, spender);
  const grant = { org_id: f.orgId, user_id: spender.userId, bucket: 'granted', amount: 7 };
  const headers = { 'Idempotency-Key': 'k' };
  await f.ask('/admin/credits', grant, { key: ctx.config.operatorToken, headers });
  await removeMember(ctx, f.orgId, gone.userId);
  const { data } = (await read()).body;
  const own: { user_id: string; total: number }[] = [];
  for (const key of [f.admin, spender])
    own.push({ user_id: key.userId, ...(await f.ask('/v1/balance', undefined, { key })) });
  expect(own.map(({ total }) => total)).toEqual([4_200, 4_207]);
  expect(data).toEqual(own.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)));
});

test('more members than are read at once are listed by user id, and none without an account is asked for', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `user-${index}`);
  for (const user_id of ids) await f.member(user_id);
  const asked = vi.spyOn(creditAccountRows(ctx), 'findOne');
  const { data } = (await read()).body;
  expect(asked).not.toHaveBeenCalled();
  const listed = data.map(({ user_id }: { user_id: string }) => user_id);
  expect(listed).toEqual([...ids, f.admin.userId].toSorted());
});

test('the others are shown while the shard of one is shut or its account is lost; it is 503 when nobody can be told', async () => {
  const { admin } = f;
  const member = await f.person();
  for (const person of [admin, member]) await linkDevice(api, person);
  const totals = async () => {
    const { data }: { data: { user_id: string; total: number }[] } = (await read()).body;
    return Object.fromEntries(data.map(({ user_id, total }) => [user_id, total]));
  };
  const oneLost = { [admin.userId]: 4_200, [member.userId]: null };
  const { epoch, account } = accountKeys(member.accountId);
  const fields = await ctx.redis.producer.hgetall(account);
  await ctx.redis.producer.del(account);
  expect(await totals()).toEqual(oneLost);
  await ctx.redis.producer.hset(account, fields);
  await ctx.redis.producer.del(epoch);
  if (epoch !== accountKeys(admin.accountId).epoch) expect(await totals()).toEqual(oneLost);
  await ctx.redis.producer.del(accountKeys(admin.accountId).epoch);
  expect((await read()).body.code).toBe('rebuilding');
  await recoverCredits(ctx);
  expect(await totals()).toEqual({ [admin.userId]: 4_200, [member.userId]: 4_200 });
});
