import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { refundSpend } from '../../../../shared/core/credits/ledger/refund-spend.ts';
import { expireCredits } from '../../../../shared/core/credits/meter/expire-credits.ts';
import { ledgerRows } from '../../../../shared/core/credits/model.ts';
import { queuedDeliveryRows } from '../../../../shared/core/events/webhooks/deliveries/model.ts';
import { deleteWebhook } from '../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { webhookRows } from '../../../../shared/core/events/webhooks/endpoints/model.ts';
import { changeOrganization } from '../../../../shared/people/change-organization.ts';
import type { Tier } from '../../../../shared/platform/basics/contract.ts';
import {
  grant,
  makeAccount,
  openCreditContext,
  openCredits,
  projectAll,
  projectLedger,
  shardsWithEntries,
  spendTimes,
  type TestAccount,
  writePlans,
} from '../../../support/credits.ts';
import { createTestClock } from '../../../support/harness.ts';
import { standingStillAfter } from '../../../support/interleave.ts';
import { makeWebhook, readEvents, type StoredEvent, subscribeToAll } from '../../../support/webhooks.ts';

const PLAN = { window_credits: 20, window_s: 3_600, monthly_credits: 10 };
const clock = createTestClock();
/** Gives more in a window; and in the third plan all in a month. */
const LARGER = { ...PLAN, window_credits: 60 };
const BY_MONTH = { ...PLAN, window_credits: 0, monthly_credits: 30 };
const env = { PLANS_FILE: writePlans({ free: PLAN, team: LARGER, enterprise: BY_MONTH }) };
const { redis, ctx } = await openCredits({ clock, env });
const other = await openCreditContext({ redisUrl: redis.url, clock, sharing: ctx });
afterEach(() => projectAll(ctx));
afterAll(() => other.close());

async function makeSubscriber(plan: Tier = 'free'): Promise<TestAccount> {
  const account = await makeAccount(ctx, { plan });
  await subscribeToAll(ctx, account.orgId);
  return account;
}

async function alertsOf(account: TestAccount): Promise<[string, unknown][]> {
  await projectAll(ctx);
  return (await eventsOf(account)).map(({ type, data }) => [type, data.total]);
}

async function eventsOf({ orgId }: TestAccount): Promise<StoredEvent[]> {
  return (await readEvents(ctx, orgId)).filter(({ type }) => type.startsWith('credit.'));
}

async function lastSpendOf({ accountId }: TestAccount): Promise<string> {
  const rows = await ledgerRows(ctx).find({ account_id: accountId }).sort({ seq: -1 }).toArray();
  return rows.find(({ reason }) => reason === 'receipt')?._id ?? '';
}

test('a webhook that is made or deleted while entries are projected is seen as it is then', async () => {
  const account = await makeAccount(ctx);
  const { orgId } = account;
  const types = async () => (await eventsOf(account)).map(({ type }) => type);
  await spendTimes(ctx, account, 27);
  await projectAll(
    standingStillAfter(ctx, webhookRows, () =>
      makeWebhook(ctx, orgId, 'http://127.0.0.1:9/', ['credit.low']),
    ),
  );
  expect(await types()).toEqual(['credit.low']);
  const { _id } = await makeWebhook(ctx, orgId, 'http://127.0.0.1:9/', ['credit.depleted']);
  await spendTimes(ctx, account, 3);
  await projectAll(standingStillAfter(ctx, webhookRows, () => deleteWebhook(ctx, orgId, _id)));
  expect(await types()).toEqual(['credit.low']);
});

describe('credits that run out', () => {
  test('raise credit.low at a tenth of window and month, and credit.depleted at 0, each once', async () => {
    const account = await makeAccount(ctx);
    const webhook = await makeWebhook(ctx, account.orgId, 'http://127.0.0.1:9/', [
      'credit.low',
      'credit.depleted',
    ]);
    await makeWebhook(ctx, account.orgId, 'http://127.0.0.1:9/', ['session.started']);
    await spendTimes(ctx, account, 26);
    expect(await alertsOf(account)).toEqual([]);
    await spendTimes(ctx, account, 2);
    expect(await alertsOf(account)).toEqual([['credit.low', 3]]);
    await spendTimes(ctx, account, 2);
    expect(await alertsOf(account)).toEqual([
      ['credit.low', 3],
      ['credit.depleted', 0],
    ]);
    const [low] = await eventsOf(account);
    expect(low?.data).toEqual({
      user_id: account.userId,
      total: 3,
      balances: { window: 0, monthly: 3, paid: 0, granted: 0 },
    });
    const deliveries = await queuedDeliveryRows(ctx).find({ org_id: account.orgId }).toArray();
    expect(deliveries.map(({ webhook_id }) => webhook_id)).toEqual([webhook._id, webhook._id]);
  });

  test('raise them once, though two projectors move the same entries', async () => {
    const account = await makeSubscriber();
    await spendTimes(ctx, account, 30);
    const shards = await shardsWithEntries(ctx);
    await Promise.allSettled([projectLedger(ctx, shards), projectLedger(other, shards)]);
    expect(await alertsOf(account)).toEqual([
      ['credit.low', 3],
      ['credit.depleted', 0],
    ]);
  });

  test('raise them again when a grant or the next window has lifted the total above', async () => {
    const account = await makeSubscriber();
    await spendTimes(ctx, account, 30);
    await projectAll(ctx);
    await grant(ctx, account.accountId, { bucket: 'granted', amount: 2 });
    await spendTimes(ctx, account, 2);
    const depleted = [
      ['credit.low', 3],
      ['credit.depleted', 0],
      ['credit.depleted', 0],
    ];
    // Two credits are above 0 and not above a tenth.
    expect(await alertsOf(account)).toEqual(depleted);
    clock.advance(3_600_000);
    await spendTimes(ctx, account, 17);
    expect(await alertsOf(account)).toEqual([...depleted, ['credit.low', 3]]);
  });

  const DAY_MS = 24 * 3_600_000;
  test.each<[string, Tier, number, (account: TestAccount) => unknown]>([
    ['a grant', 'free', 12, ({ accountId }) => grant(ctx, accountId, { bucket: 'granted', amount: 12 })],
    ['a purchase', 'free', 12, ({ accountId }) => grant(ctx, accountId, { bucket: 'paid', amount: 12 })],
    ['the next window', 'free', 20, () => clock.advance(3_600_000)],
    ['the next month', 'enterprise', 30, () => clock.advance(31 * DAY_MS)],
    ['a larger plan', 'free', 40, ({ orgId }) => changeOrganization(ctx, orgId, { plan: 'team' })],
  ])('raise both again once %s has lifted the total above them', async (_, plan, lifted, lift) => {
    const account = await makeSubscriber(plan);
    await spendTimes(ctx, account, 30);
    const types = async () => (await alertsOf(account)).map(([type]) => type);
    expect(await types()).toEqual(['credit.low', 'credit.depleted']);
    await lift(account);
    await spendTimes(ctx, account, lifted);
    expect(await types()).toEqual(['credit.low', 'credit.depleted', 'credit.low', 'credit.depleted']);
  });

  test('raise nothing anew when the credit of a refund is spent again', async () => {
    const account = await makeSubscriber();
    await spendTimes(ctx, account, 30);
    await projectAll(ctx);
    await refundSpend(ctx, account.accountId, await lastSpendOf(account));
    await spendTimes(ctx, account, 1);
    expect(await alertsOf(account)).toEqual([
      ['credit.low', 3],
      ['credit.depleted', 0],
    ]);
  });

  test.each<[string, number, (account: TestAccount) => unknown]>([
    ['a grant', 13, ({ accountId }) => grant(ctx, accountId, { bucket: 'granted', amount: 12 })],
    ['the next window', 21, () => clock.advance(3_600_000)],
  ])('raise both again once %s has lifted the total that a refund had left above', async (_, all, lift) => {
    const account = await makeSubscriber();
    await spendTimes(ctx, account, 30);
    await projectAll(ctx);
    await refundSpend(ctx, account.accountId, await lastSpendOf(account));
    await projectAll(ctx);
    await lift(account);
    await spendTimes(ctx, account, all);
    expect(await alertsOf(account)).toEqual([
      ['credit.low', 3],
      ['credit.depleted', 0],
      ['credit.low', 3],
      ['credit.depleted', 0],
    ]);
  });

  test.each<[string, number, [string, number][]]>([
    ['that nothing was spent of', 0, []],
    [
      'that are over',
      30,
      [
        ['credit.low', 3],
        ['credit.depleted', 0],
      ],
    ],
  ])('raise nothing more when a grant expires beside a window and a month %s', async (_, spent, raised) => {
    const account = await makeSubscriber();
    await spendTimes(ctx, account, spent);
    const expires_at = Math.floor(clock.now() / 1_000) + 32 * 86_400;
    await grant(ctx, account.accountId, { bucket: 'granted', amount: 40, expires_at });
    clock.advance(33 * DAY_MS);
    await expireCredits(ctx);
    expect(await alertsOf(account)).toEqual(raised);
  });

  test('raise both when a grant expires beside a month that is used up and a window that the plan does not have', async () => {
    const account = await makeSubscriber('enterprise');
    await spendTimes(ctx, account, 30);
    const expires_at = Math.floor(clock.now() / 1_000) + 86_400;
    await grant(ctx, account.accountId, { bucket: 'granted', amount: 40, expires_at });
    clock.advance(DAY_MS);
    await expireCredits(ctx);
    const both = [
      ['credit.low', 3],
      ['credit.depleted', 0],
    ];
    expect(await alertsOf(account)).toEqual([...both, ['credit.low', 0], ['credit.depleted', 0]]);
  });

  test('raise both when what was left expires', async () => {
    const account = await makeSubscriber();
    const expires_at = Math.floor(clock.now() / 1_000) + 60;
    await grant(ctx, account.accountId, { bucket: 'paid', amount: 40, expires_at });
    await spendTimes(ctx, account, 30);
    expect(await alertsOf(account)).toEqual([]);
    clock.advance(61_000);
    await expireCredits(ctx);
    expect(await alertsOf(account)).toEqual([
      ['credit.low', 0],
      ['credit.depleted', 0],
    ]);
  });
});
