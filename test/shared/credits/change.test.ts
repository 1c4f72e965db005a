import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../../../shared/contract.ts';
import { foldLedger } from '../../../shared/credits/fold-ledger.ts';
import { readAccount, readBalances } from '../../../shared/credits/read-balance.ts';
import { refundSpend } from '../../../shared/credits/refund.ts';
import { changeOrganization } from '../../../shared/organizations/change-organization.ts';
import {
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  spendSurely,
  startOwnRedis,
  type TestAccount,
} from '../../credits.ts';
import { createTestClock, type TestClock, type TestContext } from '../../harness.ts';

const PLANS = {
  free: { window_credits: 2, window_s: 18_000, monthly_credits: 1 },
  team: { window_credits: 6, window_s: 18_000, monthly_credits: 4 },
  enterprise: { window_credits: 0, window_s: 18_000, monthly_credits: 0 },
};

let redis: OwnRedis;
let clock: TestClock;
let ctx: TestContext;

beforeAll(async () => {
  redis = await startOwnRedis();
  clock = createTestClock(Date.parse('2026-03-01T10:00:00Z'));
  ctx = await openCreditContext({ redisUrl: redis.url, clock });
  Object.assign(ctx, { plans: PLANS });
});

afterAll(async () => {
  await ctx.close();
  await redis.stop();
});

async function spendTimes({ token }: TestAccount, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await spendSurely(ctx, token);
}

async function leftOf({ accountId }: TestAccount): Promise<Record<string, number>> {
  const { balances } = await readBalances(ctx, accountId);
  return Object.fromEntries(Object.entries(balances).map(([bucket, { credits }]) => [bucket, credits]));
}

async function expectWhole({ accountId }: TestAccount): Promise<void> {
  await projectAll(ctx);
  expect(await foldLedger(ctx, accountId)).toEqual((await readAccount(ctx, accountId))?.state);
}

describe('a plan change', () => {
  const change = (account: TestAccount, plan: Plan) => changeOrganization(ctx, account.orgId, { plan });

  test.each(['free', 'enterprise'] as const)(
    'to %s and back gives nothing back that was used',
    async (other) => {
      const account = await makeAccount(ctx, { plan: 'team' });
      await spendTimes(account, 8);
      expect(await leftOf(account)).toMatchObject({ window: 0, monthly: 2 });
      for (let round = 0; round < 3; round += 1) {
        await change(account, other);
        expect(await leftOf(account)).toMatchObject({ window: 0, monthly: 0 });
        await change(account, 'team');
        expect(await leftOf(account)).toMatchObject({ window: 0, monthly: 2 });
      }
      await expectWhole(account);
    },
  );

  test('below what was used lets a refunded credit be spent, once', async () => {
    const account = await makeAccount(ctx, { plan: 'team' });
    await spendTimes(account, 5);
    await change(account, 'free');
    await projectAll(ctx);
    const spent = await ctx.db.ledger.findOne({ account_id: account.accountId, reason: 'receipt' }).lean();
    await refundSpend(ctx, account.accountId, spent?.seq ?? 0);
    expect(await leftOf(account)).toMatchObject({ window: 1, granted: 0 });
    await spendTimes(account, 1);
    await change(account, 'team');
    expect(await leftOf(account)).toMatchObject({ window: 1 });
    await expectWhole(account);
  });
});
