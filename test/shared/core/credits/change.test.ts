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
import { creditAccountRows, ledgerRows } from '../../../../shared/core/credits/model.ts';
import { changeOrganization } from '../../../../shared/people/change-organization.ts';
import { addMember } from '../../../../shared/people/members.ts';
import type { Tier } from '../../../../shared/platform/basics/contract.ts';
import { accountKeys, shardOf } from '../../../../shared/platform/redis/keys.ts';
import {
  expectReplayed,
  forgetAnswers,
  grant,
  makeAccount,
  openCredits,
  projectAll,
  spendOnce,
  spendSurely,
  spendTimes,
  stateDigest,
  type TestAccount,
  writePlans,
} from '../../../support/credits.ts';
import { createTestClock } from '../../../support/harness.ts';

const PLANS = {
  free: { window_credits: 2, window_s: 18_000, monthly_credits: 1 },
  team: { window_credits: 6, window_s: 18_000, monthly_credits: 4 },
  enterprise: { window_credits: 0, window_s: 18_000, monthly_credits: 0 },
};

const clock = createTestClock(Date.parse('2026-03-01T10:00:00Z'));
const { ctx } = await openCredits({ clock, env: { PLANS_FILE: writePlans(PLANS) } });

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
  await projectAll(ctx);
  await expectReplayed(ctx, accountId);
}

describe('a plan change', () => {
  const change = (account: TestAccount, plan: Tier) => changeOrganization(ctx, account.orgId, { plan });

  test('to one that gives no credits promises none', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await spendTimes(ctx, account, 1);
    await change(account, 'enterprise');
    const { balances } = await readBalances(ctx, account.accountId);
    const none = { credits: 0, resets_at: null };
    expect(balances).toMatchObject({ window: none, monthly: none });
    await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({
      extra: { balances: { window: none, monthly: none }, next_refill: null },
    });
    await change(account, 'team');
    const resets = { resets_at: expect.any(Number) };
    expect((await readBalances(ctx, account.accountId)).balances).toMatchObject({
      window: resets,
      monthly: resets,
    });
  });

  test('below what was used lets a refunded credit be spent, once', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await spendTimes(ctx, account, 5);
    await change(account, 'free');
    await projectAll(ctx);
    const spent = await ledgerRows(ctx).findOne({ account_id: account.accountId, reason: 'receipt' });
    await refundSpend(ctx, account.accountId, spent?._id ?? '');
    expect(await leftOf(account)).toMatchObject({ window: 1, granted: 0 });
    await spendTimes(ctx, account, 1);
    await change(account, 'team');
    expect(await leftOf(account)).toMatchObject({ window: 1 });
    await expectWhole(account);
  });
});

describe('an account with a ledger that Redis lost', () => {
  async function loseAccount(): Promise<TestAccount> {
    const account = await makeAccount(ctx, { plan: 'team' });
    await spendTimes(ctx, account, 2);
    await projectAll(ctx);
    await ctx.redis.producer.del(accountKeys(account.accountId).account);
    return account;
  }

  test('is not made anew, which would give back what was spent, and its ledger is shown', async () => {
    const { accountId, orgId, userId } = await loseAccount();
    const member = { _id: accountId, org_id: orgId, user_id: userId };
    await expect(ensureAccount(ctx, member)).rejects.toMatchObject({ code: 'rebuilding' });
    expect(await readAccount(ctx, accountId)).toBeNull();
    expect(await catchUp(ctx, accountId)).toBe(4);
    await rebuildCredits(ctx);
    await ensureAccount(ctx, member);
    expect((await readBalances(ctx, accountId)).total).toBe(8);
  });

  test('is put back from the ledger when its shard opens', async () => {
    const account = await loseAccount();
    await ctx.redis.producer.del(accountKeys(account.accountId).epoch);
    expect(await recoverCredits(ctx)).toMatchObject({ opened: 1, rebuilt: 0, failed: 0 });
    expect((await readBalances(ctx, account.accountId)).total).toBe(8);
    await spendTimes(ctx, account, 1);
    await expectWhole(account);
  });
});

test('an account is not recorded while Redis cannot have it', async () => {
  const { orgId } = await makeAccount(ctx);
  const member = await addMember(ctx, { org_id: orgId, email: 'early@example.com', role: 'member' });
  await ctx.redis.producer.del(accountKeys(member._id).epoch);
  await expect(ensureAccount(ctx, member)).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await creditAccountRows(ctx).findOne({ _id: member._id })).toBeNull();
  await recoverCredits(ctx);
});

test('an account that never reached Redis gets there by reconciling, with its devices, one that Redis lost has drifted until it is rebuilt', async () => {
  const [unused, used] = [await makeAccount(ctx), await makeAccount(ctx)];
  await spendTimes(ctx, used, 1);
  await projectAll(ctx);
  for (const { accountId } of [unused, used]) await ctx.redis.producer.del(accountKeys(accountId).account);
  const { drifted } = await reconcileCredits(ctx, { repair: false });
  expect(drifted).toEqual([{ account_id: used.accountId, drift: {}, missing_rows: 0 }]);
  await spendTimes(ctx, unused, 1);
  expect((await readBalances(ctx, unused.accountId)).total).toBe(2);
  await rebuildCredits(ctx);
  expect((await reconcileCredits(ctx, { repair: false })).drifted).toEqual([]);
});

describe('the plan of an account', () => {
  const planOf = async ({ accountId }: TestAccount) => (await readAccount(ctx, accountId))?.plan;
  const putOrganizationOn = (account: TestAccount, plan: Tier) =>
    organizationRows(ctx).updateOne({ _id: account.orgId }, { $set: { plan } });

  test('that its organization has left is put right by reconciling, with what it has left, and counted', async () => {
    const [behind, unused] = [
      await makeAccount(ctx, { plan: 'team' }),
      await makeAccount(ctx, { plan: 'team' }),
    ];
    await spendTimes(ctx, behind, 1);
    for (const account of [behind, unused]) await putOrganizationOn(account, 'free');
    expect(await reconcileCredits(ctx, { repair: false })).toMatchObject({ plans: 2, drifted: [] });
    expect([await planOf(behind), await planOf(unused)]).toEqual(['free', 'free']);
    expect(await leftOf(behind)).toMatchObject({ window: 1, monthly: 1 });
    expect(await reconcileCredits(ctx, { repair: false })).toMatchObject({ plans: 0, drifted: [] });
    await expectWhole(behind);
  });

  test('that a Redis which came back older forgot is put back before it opens', async () => {
    const account = await makeAccount(ctx, { plan: 'free' });
    await changeOrganization(ctx, account.orgId, { plan: 'team' });
    const { account: key, epoch } = accountKeys(account.accountId);
    await ctx.redis.producer.hset(key, 'plan', 'free');
    await ctx.redis.producer.del(epoch);
    expect(await recoverCredits(ctx)).toMatchObject({ opened: 1, rebuilt: 0 });
    expect(await planOf(account)).toBe('team');
    expect(await leftOf(account)).toMatchObject({ window: 6, monthly: 4 });
  });

  test('that only Redis has forgotten is put right by reconciling, and counted', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await ctx.redis.producer.hset(accountKeys(account.accountId).account, 'plan', 'free');
    expect(await reconcileCredits(ctx, { repair: false })).toMatchObject({ plans: 1 });
    expect(await planOf(account)).toBe('team');
  });

  test('made while its organization changed to another is that other one', async () => {
    const account = await makeAccount(ctx, { plan: 'free' });
    const member = { _id: account.accountId, org_id: account.orgId, user_id: account.userId };
    await ctx.redis.producer.del(accountKeys(account.accountId).account);
    await putOrganizationOn(account, 'team');
    await ensureAccount(ctx, member);
    expect(await planOf(account)).toBe('team');
    expect(await creditAccountRows(ctx).findOne({ _id: account.accountId })).toMatchObject({ plan: 'team' });
  });

  test('changed to several others at once is what its organization ends on', async () => {
    const account = await makeAccount(ctx, { plan: 'free' });
    for (let round = 0; round < 5; round += 1) {
      const plans = ['team', 'enterprise', 'free', 'team'] as const;
      await Promise.all(plans.map((plan) => changeOrganization(ctx, account.orgId, { plan })));
      expect(await planOf(account)).toBe((await readOrganization(ctx, account.orgId)).plan);
    }
  });
});

describe('a refund', () => {
  const HOUR_MS = 3_600_000;

  async function spendAgainLate({ accountId, token }: TestAccount, key: string): Promise<void> {
    await projectAll(ctx);
    await forgetAnswers(ctx, accountId);
    expect((await spendSurely(ctx, token, key)).replayed).toBe(false);
  }

  async function reasonsOf({ accountId }: TestAccount): Promise<string[]> {
    const rows = await ledgerRows(ctx).find({ account_id: accountId }).sort({ seq: 1 }).toArray();
    return rows.map(({ bucket, delta, reason }) => `${bucket} ${delta} ${reason}`);
  }

  async function refundFirstSpend({ accountId }: TestAccount): Promise<void> {
    await projectAll(ctx);
    const spent = await ledgerRows(ctx).findOne({ account_id: accountId, reason: 'receipt' });
    await refundSpend(ctx, accountId, spent?._id ?? '');
  }

  test('of a late repeat whose window ended meanwhile leaves no credit that the window would not have left', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await spendSurely(ctx, account.token, 'repeated');
    clock.advance(49 * HOUR_MS);
    await spendTimes(ctx, account, 1);
    clock.advance(5 * HOUR_MS - 50);
    await spendAgainLate(account, 'repeated');
    clock.advance(100);
    await projectAll(ctx);
    const { balances } = await readBalances(ctx, account.accountId);
    expect(balances.granted).toEqual({ credits: 0, lots: [] });
    await spendTimes(ctx, account, 1);
    await expectWhole(account);
    expect((await reasonsOf(account)).slice(-5)).toEqual([
      'window -1 receipt',
      'granted 1 credit.refund',
      'window 2 window.reset',
      'granted -1 credit.expire',
      'window -1 receipt',
    ]);
  });

  test.each(['paid', 'granted'] as const)(
    'of a late repeat from a %s lot that expired meanwhile leaves nothing',
    async (bucket) => {
      const account = await makeAccount(ctx, { plan: 'enterprise' });
      const { accountId } = account;
      const expires_at = clock.now() / 1_000 + 3_600;
      await grant(ctx, accountId, { bucket, amount: 5, expires_at });
      await spendSurely(ctx, account.token, 'repeated');
      await spendAgainLate(account, 'repeated');
      clock.advance(HOUR_MS);
      await projectAll(ctx);
      expect(await leftOf(account)).toMatchObject({ paid: 0, granted: 0 });
      await expireCredits(ctx);
      await expectWhole(account);
      expect((await readAccount(ctx, accountId))?.state.lots).toEqual([]);
    },
  );

  test('of many late repeats goes back to the window and the month of each, none to those that run now', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await grant(ctx, account.accountId, { bucket: 'granted', amount: 100 });
    const keys = Array.from({ length: 45 }, () => randomUUID());
    for (const key of keys) await spendSurely(ctx, account.token, key);
    await projectAll(ctx);
    await forgetAnswers(ctx, account.accountId);
    clock.advance(31 * 24 * HOUR_MS);
    // All of a window and of a month, and so many of a lot that the newer repeats are taken back before these.
    for (const key of keys.slice(2)) await spendSurely(ctx, account.token, key);
    clock.advance(31 * 24 * HOUR_MS);
    await spendSurely(ctx, account.token, keys[0]);
    await spendTimes(ctx, account, 6);
    await spendSurely(ctx, account.token, keys[1]);
    await spendTimes(ctx, account, 1);
    await projectAll(ctx);
    expect(await leftOf(account)).toMatchObject({ window: 1, monthly: 2, granted: 100 - 35 });
    await expectWhole(account);
  });

  test('by hand of a window that is over is a credit that stays', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await spendTimes(ctx, account, 1);
    clock.advance(5 * HOUR_MS);
    await refundFirstSpend(account);
    await refundFirstSpend(account);
    const { balances } = await readBalances(ctx, account.accountId);
    expect(balances.granted).toEqual({ credits: 1, lots: [{ credits: 1, expires_at: null }] });
    await expectWhole(account);
  });

  test.each([
    ['window', 'window', 1, 5 * HOUR_MS],
    ['month', 'monthly', 7, 31 * 24 * HOUR_MS],
  ] as const)(
    'by hand of a %s that is over does not fill the one that runs',
    async (_, bucket, count, lastsMs) => {
      const account = await makeAccount(ctx, { plan: 'team' });
      await spendTimes(ctx, account, count);
      await projectAll(ctx);
      const ofAccount = { account_id: account.accountId, bucket, reason: 'receipt' } as const;
      const spent = await ledgerRows(ctx).findOne(ofAccount);
      clock.advance(lastsMs);
      await spendTimes(ctx, account, count);
      const before = await leftOf(account);
      await refundSpend(ctx, account.accountId, spent?._id ?? '');
      expect(await leftOf(account)).toEqual({ ...before, granted: 1 });
      await expectWhole(account);
    },
  );

  test('is for a spend, and for one of that account', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    const other = await makeAccount(ctx, { plan: 'team' });
    await spendTimes(ctx, account, 1);
    await projectAll(ctx);
    const rows = await ledgerRows(ctx).find({ account_id: account.accountId }).toArray();
    const [spend, reset] = [true, false].map(
      (is) => rows.find(({ reason }) => (reason === 'receipt') === is)?._id,
    );
    await expect(refundSpend(ctx, account.accountId, reset ?? '')).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(refundSpend(ctx, other.accountId, spend ?? '')).rejects.toMatchObject({ code: 'not_found' });
    expect(await leftOf(account)).toMatchObject({ window: 5, granted: 0 });
  });

  test('is given once, also after Redis has forgotten that it was asked for', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await spendTimes(ctx, account, 2);
    await refundFirstSpend(account);
    await projectAll(ctx);
    await forgetAnswers(ctx, account.accountId);
    await refundFirstSpend(account);
    expect(await leftOf(account)).toMatchObject({ window: 5, granted: 0 });
    await expectWhole(account);
  });

  test('joins a lot of the same expiry, so that refunds never make the list of lots long', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    const { accountId } = account;
    await spendTimes(ctx, account, 6);
    clock.advance(5 * HOUR_MS);
    await projectAll(ctx);
    const spends = await ledgerRows(ctx).find({ account_id: accountId, reason: 'receipt' }).toArray();
    for (const { _id } of spends) await refundSpend(ctx, accountId, _id);
    expect((await readAccount(ctx, accountId))?.state.lots).toMatchObject([{ left: 6 }]);
    await expectWhole(account);
  });
});

describe('a grant', () => {
  const HOUR_S = 3_600;
  test('finds room where lots have expired, and the ledger adds up', async () => {
    const account = await makeAccount(ctx, { plan: 'enterprise' });
    const { accountId } = account;
    const expires_at = clock.now() / 1_000 + HOUR_S;
    for (let lot = 0; lot < 100; lot += 1)
      await grant(ctx, accountId, { bucket: 'paid', amount: 1, expires_at });
    clock.advance(HOUR_S * 1_000);
    const { transaction } = await grant(ctx, accountId, { bucket: 'granted', amount: 7 });
    expect(transaction).toMatchObject({ delta: 7, bucket: 'granted', reason: 'credit.grant' });
    expect(await leftOf(account)).toMatchObject({ paid: 0, granted: 7 });
    await expectWhole(account);
  });

  test('under a used key is refused when anything of it differs, before and after the ledger has it', async () => {
    const account = await makeAccount(ctx, { plan: 'enterprise' });
    const { accountId } = account;
    const expires_at = clock.now() / 1_000 + 100 * 24 * HOUR_S;
    const first = { bucket: 'granted', amount: 7, expires_at, idempotencyKey: 'same' } as const;
    await grant(ctx, accountId, first);
    for (const round of ['in Redis', 'in the ledger']) {
      for (const change of [{ expires_at: expires_at + 1 }, { expires_at: undefined }, { amount: 8 }])
        await expect(grant(ctx, accountId, { ...first, ...change }), round).rejects.toMatchObject({
          code: 'idempotency_key_reused',
        });
      expect(await grant(ctx, accountId, first), round).toMatchObject({ replayed: true });
      await projectAll(ctx);
    }
    expect(await leftOf(account)).toMatchObject({ granted: 7 });
  });

  test.each<{ bucket: 'paid' | 'granted'; expires: boolean; lots: number | 'conflict' }>([
    { bucket: 'paid', expires: false, lots: 100 },
    { bucket: 'paid', expires: true, lots: 'conflict' },
    { bucket: 'granted', expires: false, lots: 101 },
    { bucket: 'granted', expires: true, lots: 100 },
  ])(
    'where there is no room joins a lot of the same bucket and expiry only: $bucket, expires: $expires, lots: $lots',
    async ({ bucket, expires, lots }) => {
      const account = await makeAccount(ctx, { plan: 'enterprise' });
      const { accountId } = account;
      const until = { expires_at: clock.now() / 1_000 + HOUR_S };
      for (let lot = 0; lot < 50; lot += 1) {
        await grant(ctx, accountId, { bucket: 'paid', amount: 1 });
        await grant(ctx, accountId, { bucket: 'granted', amount: 1, ...until });
      }
      const left: Record<string, number> = { paid: 50, granted: 50 };
      const more = { bucket, amount: 9, idempotencyKey: 'more', ...(expires ? until : {}) };
      if (lots === 'conflict')
        await expect(grant(ctx, accountId, more)).rejects.toMatchObject({ code: 'conflict' });
      else {
        await grant(ctx, accountId, more);
        expect(await grant(ctx, accountId, more)).toMatchObject({ replayed: true });
        left[bucket] = 59;
        expect((await readAccount(ctx, accountId))?.state.lots).toHaveLength(lots);
      }
      expect(await leftOf(account)).toMatchObject(left);
      await spendTimes(ctx, account, 11);
      await expectWhole(account);
      clock.advance(HOUR_S * 1_000);
      await expireCredits(ctx);
      expect(await leftOf(account)).toMatchObject({
        paid: Number(left.paid) - 11,
        granted: lots === 101 ? 9 : 0,
      });
      await expectWhole(account);
    },
  );

  test('that never expires has a place beside a hundred lots of other expiries: it may have been paid for', async () => {
    const account = await makeAccount(ctx, { plan: 'enterprise' });
    const { accountId } = account;
    const until = (day: number) =>
      grant(ctx, accountId, { bucket: 'granted', amount: 1, expires_at: clock.now() / 1_000 + day * 86_400 });
    for (let day = 1; day <= 100; day += 1) await until(day);
    await expect(until(101)).rejects.toMatchObject({ code: 'conflict' });
    for (const amount of [5, 6]) await grant(ctx, accountId, { bucket: 'paid', amount });
    expect(await leftOf(account)).toMatchObject({ paid: 11, granted: 100 });
    expect((await readAccount(ctx, accountId))?.state.lots).toHaveLength(101);
    await expectWhole(account);
  });

  test('that has expired is refused, also one that expires at this moment', async () => {
    const { accountId } = await makeAccount(ctx);
    const nowS = Math.ceil(clock.now() / 1_000);
    clock.set(nowS * 1_000);
    const until = (expires_at: number) => grant(ctx, accountId, { bucket: 'granted', amount: 1, expires_at });
    for (const passed of [nowS - 1, nowS])
      await expect(until(passed)).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await until(nowS + 100 * 86_400)).transaction.delta).toBe(1);
  });

  test('that expires at microseconds is refused: no row could hold it, and its shard would stand still', async () => {
    const account = await makeAccount(ctx);
    const far = { bucket: 'paid', amount: 1, expires_at: 1_790_000_000_000_000 } as const;
    await expect(grant(ctx, account.accountId, far)).rejects.toMatchObject({ code: 'invalid_request' });
    await expectWhole(account);
  });
});

test('a shard that is shut holds up no other: what expires there, plans and comparing wait alone', async () => {
  const { orgId } = await makeAccount(ctx, { plan: 'team' });
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
  for (const accountId of [shut, other]) await grant(ctx, accountId, expiring);
  clock.advance(60_000);
  await projectAll(ctx);
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
  const account = await makeAccount(ctx, { plan: 'team' });
  const { accountId } = account;
  await grant(ctx, accountId, { bucket: 'granted', amount: 5, expires_at: clock.now() / 1_000 + 3_600 });
  await spendTimes(ctx, account, 1);
  await projectAll(ctx);
  const spent = await ledgerRows(ctx).findOne({ account_id: accountId, reason: 'receipt' });
  clock.advance(3_600_000);
  await ctx.redis.producer.del(accountKeys(accountId).epoch);
  const before = await stateDigest(ctx);
  const change = (command: 'apply-plan' | 'adjust' | 'expire-credits', args: (string | number)[] = []) =>
    changeCredits(ctx, { accountId, command, args });
  const changes = [
    () => grant(ctx, accountId, { bucket: 'paid', amount: 1 }),
    () => refundSpend(ctx, accountId, spent?._id ?? ''),
    () => expireCredits(ctx),
    () => change('apply-plan', ['free', 'free=1,60000,1;']),
    () => change('adjust', ['window', 1]),
    () => change('expire-credits'),
  ];
  for (const attempt of changes) await expect(attempt()).rejects.toMatchObject({ code: 'rebuilding' });
  expect(await stateDigest(ctx)).toBe(before);
  await recoverCredits(ctx);
});
