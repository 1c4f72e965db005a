import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { organizationRows } from '../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../shared/core/accounts/organizations/read-organization.ts';
import { catchUp } from '../../../../shared/core/credits/ledger/catch-up.ts';
import { ensureAccount } from '../../../../shared/core/credits/ledger/ensure-account.ts';
import { rebuildCredits, recoverCredits } from '../../../../shared/core/credits/ledger/open-shards.ts';
import { reconcileCredits } from '../../../../shared/core/credits/ledger/reconcile.ts';
import { refundSpend } from '../../../../shared/core/credits/ledger/refund-spend.ts';
import { readAccount } from '../../../../shared/core/credits/meter/account-record.ts';
import { changeCredits } from '../../../../shared/core/credits/meter/change-credits.ts';
import { expireCredits } from '../../../../shared/core/credits/meter/expire-credits.ts';
import { readBalances } from '../../../../shared/core/credits/meter/read-balances.ts';
import { creditAccountRows, type LedgerRow, ledgerRows } from '../../../../shared/core/credits/model.ts';
import { changeOrganization } from '../../../../shared/people/change-organization.ts';
import { addMember } from '../../../../shared/people/members.ts';
import type { Tier } from '../../../../shared/platform/basics/contract.ts';
import { accountKeys, shardOf } from '../../../../shared/platform/redis/keys.ts';
import { openCredits, type TestAccount, writePlans } from '../../../support/credits.ts';
import { createTestClock } from '../../../support/harness.ts';

const PLANS = {
  free: { window_credits: 2, window_s: 18_000, monthly_credits: 1 },
  team: { window_credits: 6, window_s: 18_000, monthly_credits: 4 },
  enterprise: { window_credits: 0, window_s: 18_000, monthly_credits: 0 },
};

const clock = createTestClock(Date.parse('2026-03-01T10:00:00Z'));
const fx = await openCredits({ clock, env: { PLANS_FILE: writePlans(PLANS) } });
const { ctx } = fx;

/** One more member of an organization with an account. */
async function addAccount(orgId: string): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const member = await addMember(ctx, { org_id: orgId, email, role: 'member' });
  await ensureAccount(ctx, member);
  return member._id;
}

async function leftOf({ accountId }: TestAccount): Promise<Record<string, number>> {
  const { balances } = await readBalances(ctx, accountId);
  return Object.fromEntries(Object.entries(balances).map(([bucket, { credits }]) => [bucket, credits]));
}

async function expectWhole({ accountId }: TestAccount): Promise<void> {
  await fx.projectAll();
  await fx.expectReplayed(accountId);
}

const lotsOf = async ({ accountId }: TestAccount) => (await readAccount(ctx, accountId))?.state.lots;

/** The rows of its spends in the ledger, the first one first. */
async function spendsOf({ accountId }: TestAccount): Promise<LedgerRow[]> {
  await fx.projectAll();
  return ledgerRows(ctx).find({ account_id: accountId, reason: 'receipt' }).sort({ seq: 1 }).toArray();
}

test('a plan change to one that gives no credits promises none', async () => {
  const { accountId, orgId, token } = await fx.makeAccount({ plan: 'team' });
  await fx.spendOnce(token);
  await changeOrganization(ctx, orgId, { plan: 'enterprise' });
  const balancesWith = (each: object) => ({ balances: { window: each, monthly: each } });
  const none = balancesWith({ credits: 0, resets_at: null });
  expect(await readBalances(ctx, accountId)).toMatchObject(none);
  const extra = { ...none, next_refill: null };
  await expect(fx.spendOnce(token)).rejects.toMatchObject({ extra });
  await changeOrganization(ctx, orgId, { plan: 'team' });
  const resets = balancesWith({ resets_at: expect.any(Number) });
  expect(await readBalances(ctx, accountId)).toMatchObject(resets);
});

test('an account with a ledger that Redis lost is not made anew, which would give back what was spent, but put back by a rebuild and when its shard opens', async () => {
  const account = await fx.makeAccount({ plan: 'team' });
  const { accountId, orgId, userId } = account;
  const member = { _id: accountId, org_id: orgId, user_id: userId };
  const keys = accountKeys(accountId);
  await fx.spendTimes(account, 2);
  await fx.projectAll();
  await ctx.redis.producer.del(keys.account);
  await expect(ensureAccount(ctx, member)).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await readAccount(ctx, accountId)).toBeNull();
  expect(await catchUp(ctx, accountId)).toBe(4);
  await rebuildCredits(ctx);
  await ensureAccount(ctx, member);
  expect((await readBalances(ctx, accountId)).total).toBe(8);
  await ctx.redis.producer.del(keys.account, keys.epoch);
  expect(await recoverCredits(ctx)).toMatchObject({ opened: 1, rebuilt: 0, failed: 0 });
  expect((await readBalances(ctx, accountId)).total).toBe(8);
  await fx.spendTimes(account, 1);
  await expectWhole(account);
});

test('an account is not recorded while Redis cannot have it', async () => {
  const { orgId } = await fx.makeAccount();
  const member = await addMember(ctx, { org_id: orgId, email: 'early@example.com', role: 'member' });
  await ctx.redis.producer.del(accountKeys(member._id).epoch);
  await expect(ensureAccount(ctx, member)).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await creditAccountRows(ctx).findOne({ _id: member._id })).toBeNull();
  await recoverCredits(ctx);
});

test('an account that never reached Redis gets there by reconciling, with its devices, one that Redis lost has drifted until it is rebuilt', async () => {
  const [unused, used] = [await fx.makeAccount(), await fx.makeAccount()];
  await fx.spendTimes(used, 1);
  await fx.projectAll();
  for (const { accountId } of [unused, used]) await ctx.redis.producer.del(accountKeys(accountId).account);
  const { drifted } = await reconcileCredits(ctx, { repair: false });
  expect(drifted).toEqual([{ account_id: used.accountId, drift: {}, missing_rows: 0 }]);
  await fx.spendTimes(unused, 1);
  expect((await readBalances(ctx, unused.accountId)).total).toBe(2);
  await rebuildCredits(ctx);
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([]);
});

describe('the plan of an account', () => {
  const planOf = async ({ accountId }: TestAccount) => (await readAccount(ctx, accountId))?.plan;
  const putOrganizationOn = (account: TestAccount, plan: Tier) =>
    organizationRows(ctx).updateOne({ _id: account.orgId }, { $set: { plan } });

  test('that its organization has left, or that only Redis has forgotten, is put right by reconciling, with what it has left, and counted', async () => {
    const make = () => fx.makeAccount({ plan: 'team' });
    const [behind, unused, forgotten] = [await make(), await make(), await make()];
    await fx.spendTimes(behind, 1);
    for (const account of [behind, unused]) await putOrganizationOn(account, 'free');
    await ctx.redis.producer.hset(accountKeys(forgotten.accountId).account, 'plan', 'free');
    expect(await reconcileCredits(ctx, { repair: false })).toMatchObject({ plans: 3, drifted: [] });
    const plans = await Promise.all([behind, unused, forgotten].map(planOf));
    expect(plans).toEqual(['free', 'free', 'team']);
    expect(await leftOf(behind)).toMatchObject({ window: 1, monthly: 1 });
    expect(await reconcileCredits(ctx, { repair: false })).toMatchObject({ plans: 0, drifted: [] });
    await expectWhole(behind);
  });

  test('that a Redis which came back older forgot is put back before it opens', async () => {
    const account = await fx.makeAccount({ plan: 'free' });
    await changeOrganization(ctx, account.orgId, { plan: 'team' });
    const { account: key, epoch } = accountKeys(account.accountId);
    await ctx.redis.producer.hset(key, 'plan', 'free');
    await ctx.redis.producer.del(epoch);
    expect(await recoverCredits(ctx)).toMatchObject({ opened: 1, rebuilt: 0 });
    expect(await planOf(account)).toBe('team');
    expect(await leftOf(account)).toMatchObject({ window: 6, monthly: 4 });
  });

  test('made while its organization changed to another is that other one', async () => {
    const account = await fx.makeAccount({ plan: 'free' });
    const member = { _id: account.accountId, org_id: account.orgId, user_id: account.userId };
    await ctx.redis.producer.del(accountKeys(account.accountId).account);
    await putOrganizationOn(account, 'team');
    await ensureAccount(ctx, member);
    expect(await planOf(account)).toBe('team');
    expect(await creditAccountRows(ctx).findOne({ _id: account.accountId })).toMatchObject({ plan: 'team' });
  });

  test('changed to several others at once is what its organization ends on', async () => {
    const account = await fx.makeAccount({ plan: 'free' });
    for (let round = 0; round < 5; round += 1) {
      const plans = ['team', 'enterprise', 'free', 'team'] as const;
      await Promise.all(plans.map((plan) => changeOrganization(ctx, account.orgId, { plan })));
      expect(await planOf(account)).toBe((await readOrganization(ctx, account.orgId)).plan);
    }
  });
});

describe('a refund', () => {
  const HOUR_MS = 3_600_000;

  const refund = ({ accountId }: TestAccount, row?: LedgerRow | null) =>
    refundSpend(ctx, accountId, row?._id ?? '');

  test('of a late repeat whose window ended meanwhile leaves no credit that the window would not have left', async () => {
    const account = await fx.makeAccount({ plan: 'team' });
    const { accountId, token } = account;
    await fx.spendSurely(token, 'repeated');
    clock.advance(49 * HOUR_MS);
    await fx.spendTimes(account, 1);
    clock.advance(5 * HOUR_MS - 50);
    await fx.projectAll();
    await fx.forgetAnswers(accountId);
    expect((await fx.spendSurely(token, 'repeated')).replayed).toBe(false);
    clock.advance(100);
    await fx.projectAll();
    const { balances } = await readBalances(ctx, accountId);
    expect(balances.granted).toEqual({ credits: 0, lots: [] });
    await fx.spendTimes(account, 1);
    await expectWhole(account);
    const rows = await ledgerRows(ctx).find({ account_id: accountId }).sort({ seq: -1 }).limit(5).toArray();
    expect(rows.map(({ bucket, delta, reason }) => `${bucket} ${delta} ${reason}`)).toEqual([
      'window -1 receipt',
      'granted -1 credit.expire',
      'window 2 window.reset',
      'granted 1 credit.refund',
      'window -1 receipt',
    ]);
  });

  test('of many late repeats goes back to the window and the month of each, none to those that run now', async () => {
    const account = await fx.makeAccount({ plan: 'team' });
    await fx.grant(account.accountId, { bucket: 'granted', amount: 100 });
    const keys = Array.from({ length: 45 }, () => randomUUID());
    for (const key of keys) await fx.spendSurely(account.token, key);
    await fx.projectAll();
    await fx.forgetAnswers(account.accountId);
    clock.advance(31 * 24 * HOUR_MS);
    // All of a window and of a month, and so many of a lot that the newer repeats are taken back before these.
    for (const key of keys.slice(2)) await fx.spendSurely(account.token, key);
    clock.advance(31 * 24 * HOUR_MS);
    await fx.spendSurely(account.token, keys[0]);
    await fx.spendTimes(account, 6);
    await fx.spendSurely(account.token, keys[1]);
    await fx.spendTimes(account, 1);
    await fx.projectAll();
    expect(await leftOf(account)).toMatchObject({ window: 1, monthly: 2, granted: 100 - 35 });
    await expectWhole(account);
  });

  test.each([
    ['window', 'window', 2, 5 * HOUR_MS],
    ['month', 'monthly', 8, 31 * 24 * HOUR_MS],
  ] as const)(
    'by hand of a %s that is over is a credit that stays and does not fill the one that runs; two of them are one lot',
    async (_, bucket, count, lastsMs) => {
      const account = await fx.makeAccount({ plan: 'team' });
      await fx.spendTimes(account, count);
      const spends = (await spendsOf(account)).filter((row) => row.bucket === bucket);
      clock.advance(lastsMs);
      await fx.spendTimes(account, count);
      const before = await leftOf(account);
      for (const spent of [...spends, ...spends]) await refund(account, spent);
      expect(await leftOf(account)).toEqual({ ...before, granted: 2 });
      expect(await lotsOf(account)).toMatchObject([{ left: 2, expiresMs: 0 }]);
      await expectWhole(account);
    },
  );

  test('is for a spend of that account, and given once, also after Redis has forgotten that it was asked for', async () => {
    const account = await fx.makeAccount({ plan: 'team' });
    const other = await fx.makeAccount({ plan: 'team' });
    await fx.spendTimes(account, 2);
    const [spent] = await spendsOf(account);
    const reset = await ledgerRows(ctx).findOne({ account_id: account.accountId, reason: 'window.reset' });
    await expect(refund(account, reset)).rejects.toMatchObject({ code: 'conflict' });
    await expect(refund(other, spent)).rejects.toMatchObject({ code: 'not_found' });
    expect(await leftOf(account)).toMatchObject({ window: 4, granted: 0 });
    await refund(account, spent);
    await fx.projectAll();
    await fx.forgetAnswers(account.accountId);
    await refund(account, spent);
    expect(await leftOf(account)).toMatchObject({ window: 5, granted: 0 });
    await expectWhole(account);
  });
});

describe('a grant', () => {
  const HOUR_S = 3_600;

  test('under a used key is refused when anything of it differs, before and after the ledger has it', async () => {
    const account = await fx.makeAccount({ plan: 'enterprise' });
    const { accountId } = account;
    const expires_at = clock.now() / 1_000 + 100 * 24 * HOUR_S;
    const first = { bucket: 'granted', amount: 7, expires_at, idempotencyKey: 'same' } as const;
    await fx.grant(accountId, first);
    for (const round of ['in Redis', 'in the ledger']) {
      for (const change of [{ expires_at: expires_at + 1 }, { expires_at: undefined }, { amount: 8 }])
        await expect(fx.grant(accountId, { ...first, ...change }), round).rejects.toMatchObject({
          code: 'idempotency_key_reused',
        });
      expect(await fx.grant(accountId, first), round).toMatchObject({ replayed: true });
      await fx.projectAll();
    }
    expect(await leftOf(account)).toMatchObject({ granted: 7 });
  });

  // One that never expires has a place beside a hundred lots of other expiries: it may have been paid for.
  test.each<['paid' | 'granted', expires: boolean, lots: number | 'conflict']>([
    ['paid', false, 100],
    ['paid', true, 'conflict'],
    ['granted', false, 101],
    ['granted', true, 100],
  ])(
    'where there is no room joins a lot of the same bucket and expiry only: %s, expires: %s, lots: %s; and lots that expired are room',
    async (bucket, expires, lots) => {
      const account = await fx.makeAccount({ plan: 'enterprise' });
      const { accountId } = account;
      const inHours = (hours: number) => ({ expires_at: clock.now() / 1_000 + hours * HOUR_S });
      const until = inHours(1);
      for (let lot = 0; lot < 50; lot += 1) {
        await fx.grant(accountId, { bucket: 'paid', amount: 1 });
        await fx.grant(accountId, { bucket: 'granted', amount: 1, ...until });
      }
      const left: Record<string, number> = { paid: 50, granted: 50 };
      const more = { bucket, amount: 9, idempotencyKey: 'more', ...(expires ? until : {}) };
      if (lots === 'conflict')
        await expect(fx.grant(accountId, more)).rejects.toMatchObject({ code: 'conflict' });
      else {
        await fx.grant(accountId, more);
        expect(await fx.grant(accountId, more)).toMatchObject({ replayed: true });
        await fx.grant(accountId, { ...more, amount: 1, idempotencyKey: 'once more' });
        left[bucket] = 60;
        expect(await lotsOf(account)).toHaveLength(lots);
      }
      expect(await leftOf(account)).toMatchObject(left);
      await fx.spendTimes(account, 11);
      await expectWhole(account);
      clock.advance(HOUR_S * 1_000);
      await fx.grant(accountId, { bucket: 'granted', amount: 7, ...inHours(10_000) });
      await expectWhole(account);
      await expireCredits(ctx);
      const stays = { paid: Number(left.paid) - 11, granted: lots === 101 ? 17 : 7 };
      expect(await leftOf(account)).toMatchObject(stays);
      await expectWhole(account);
    },
  );

  test.each([
    ['a second ago', -1],
    ['at this moment', 0],
    // No row could hold it, and its shard would stand still.
    ['at a time in microseconds', 1_790_000_000_000_000],
  ])('that expires %s is refused', async (_, inS) => {
    const account = await fx.makeAccount();
    const nowS = Math.ceil(clock.now() / 1_000);
    clock.set(nowS * 1_000);
    const until = (expires_at: number) =>
      fx.grant(account.accountId, { bucket: 'granted', amount: 1, expires_at });
    await expect(until(nowS + inS)).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await until(nowS + 100 * 24 * HOUR_S)).transaction.delta).toBe(1);
    await expectWhole(account);
  });
});

test('a shard that is shut holds up no other: what expires there, plans and comparing wait alone', async () => {
  const { orgId } = await fx.makeAccount({ plan: 'team' });
  for (let more = 0; more < 4; more += 1) await addAccount(orgId);
  const present = await creditAccountRows(ctx).find({ org_id: orgId }).sort({ user_id: 1 }).toArray();
  const shut = present[0]?._id ?? '';
  const later = present.filter(({ _id }) => shardOf(_id) !== shardOf(shut));
  const other = later[0]?._id ?? '';
  const between = Array.from({ length: 200 }, (_, index) => `usr_between_${index}`);
  const row = { org_id: 'org_gone', user_id: 'u', plan: 'team', created_at: new Date(0) } as const;
  const anchor = { day: 1, time: '00:00:00', timezone: 'UTC' };
  await creditAccountRows(ctx).deleteMany({ _id: { $in: later.map(({ _id }) => _id) } });
  await creditAccountRows(ctx).insertMany([...between.map((_id) => ({ _id, ...row, anchor })), ...later]);
  const expiring = { bucket: 'granted', amount: 5, expires_at: clock.now() / 1_000 + 60 } as const;
  for (const accountId of [shut, other]) await fx.grant(accountId, expiring);
  clock.advance(60_000);
  await fx.projectAll();
  await ctx.redis.producer.del(accountKeys(shut).epoch);
  await expect(expireCredits(ctx)).rejects.toMatchObject({ code: 'rebuilding' });
  expect((await readAccount(ctx, other))?.state.lots).toEqual([]);
  const toFree = changeOrganization(ctx, orgId, { plan: 'free' });
  await expect(toFree).rejects.toMatchObject({ code: 'rebuilding' });
  expect((await readAccount(ctx, other))?.plan).toBe('free');
  await ctx.redis.producer.hset(accountKeys(other).account, 'lots', 'g,3,0,lot_spoilt;');
  const { drifted, unchecked } = await reconcileCredits(ctx, { repair: false });
  expect(drifted).toMatchObject([{ account_id: other, drift: { granted: 3 } }]);
  expect(unchecked).toBeGreaterThanOrEqual(1);
  await creditAccountRows(ctx).deleteMany({ _id: { $in: between } });
  await rebuildCredits(ctx);
  expect(await expireCredits(ctx)).toBe(1);
});

test('no change of credits goes through a shut shard', async () => {
  const account = await fx.makeAccount({ plan: 'team' });
  const { accountId } = account;
  await fx.grant(accountId, { bucket: 'granted', amount: 5, expires_at: clock.now() / 1_000 + 3_600 });
  await fx.spendTimes(account, 1);
  const [spent] = await spendsOf(account);
  clock.advance(3_600_000);
  await ctx.redis.producer.del(accountKeys(accountId).epoch);
  const before = await fx.stateDigest();
  const change = (command: 'apply-plan' | 'adjust' | 'expire-credits', args: (string | number)[] = []) =>
    changeCredits(ctx, { accountId, command, args });
  const changes = [
    () => fx.grant(accountId, { bucket: 'paid', amount: 1 }),
    () => refundSpend(ctx, accountId, spent?._id ?? ''),
    () => expireCredits(ctx),
    () => change('apply-plan', ['free', 'free=1,60000,1;']),
    () => change('adjust', ['window', 1]),
    () => change('expire-credits'),
  ];
  for (const attempt of changes) await expect(attempt()).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await fx.stateDigest()).toBe(before);
  await recoverCredits(ctx);
});
