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
  openCreditContext,
  openCredits,
  projectAll,
  projectLedger,
  type TestAccount,
  writePlans,
} from '../../../support/credits.ts';
import { createTestClock } from '../../../support/harness.ts';
import { standingStillAfter } from '../../../support/interleave.ts';
import { readEvents, type StoredEvent, subscribe, subscribeToAll } from '../../../support/webhooks.ts';

const PLAN = { window_credits: 20, window_s: 3_600, monthly_credits: 10 };
const clock = createTestClock();
/** Gives more in a window; and in the third plan all in a month. */
const LARGER = { ...PLAN, window_credits: 60 };
const BY_MONTH = { ...PLAN, window_credits: 0, monthly_credits: 30 };
const env = { PLANS_FILE: writePlans({ free: PLAN, team: LARGER, enterprise: BY_MONTH }) };
const fx = await openCredits({ clock, env });
const { ctx, redis } = fx;
const other = await openCreditContext({ redisUrl: redis.url, clock, sharing: ctx });
afterEach(() => fx.projectAll());
afterAll(() => other.close());

async function makeSubscriber(plan: Tier = 'free'): Promise<TestAccount> {
  const account = await fx.makeAccount({ plan });
  await subscribeToAll(ctx, account.orgId);
  return account;
}

type Alert = [type: string, total: unknown];
type Lift = (account: TestAccount) => unknown;
const DAY_MS = 24 * 3_600_000;
const DEPLETED: Alert = ['credit.depleted', 0];
const BOTH: Alert[] = [['credit.low', 3], DEPLETED];

async function alertsOf(account: TestAccount): Promise<Alert[]> {
  await fx.projectAll();
  return (await eventsOf(account)).map(({ type, data }) => [type, data.total]);
}

async function eventsOf({ orgId }: TestAccount): Promise<StoredEvent[]> {
  return (await readEvents(ctx, orgId)).filter(({ type }) => type.startsWith('credit.'));
}

async function refundLast({ accountId }: TestAccount): Promise<void> {
  const spends = ledgerRows(ctx).find({ account_id: accountId, reason: 'receipt' }).sort({ seq: -1 });
  const [last] = await spends.toArray();
  await refundSpend(ctx, accountId, last?._id ?? '');
  await fx.projectAll();
}

test('a webhook that is made or deleted while entries are projected is seen as it is then', async () => {
  const account = await fx.makeAccount();
  const { orgId } = account;
  const types = async () => (await eventsOf(account)).map(({ type }) => type);
  await fx.spendTimes(account, 27);
  const ask = (event: 'credit.low' | 'credit.depleted') => subscribe(ctx, orgId, { events: [event] });
  await projectAll(standingStillAfter(ctx, webhookRows, () => ask('credit.low')));
  expect(await types()).toEqual(['credit.low']);
  const { _id } = await ask('credit.depleted');
  await fx.spendTimes(account, 3);
  await projectAll(standingStillAfter(ctx, webhookRows, () => deleteWebhook(ctx, orgId, _id)));
  expect(await types()).toEqual(['credit.low']);
});

describe('credits that run out', () => {
  test('raise credit.low at a tenth of window and month, and credit.depleted at 0, each once', async () => {
    const account = await fx.makeAccount();
    const webhook = await subscribe(ctx, account.orgId, { events: ['credit.low', 'credit.depleted'] });
    await subscribe(ctx, account.orgId, { events: ['session.started'] });
    await fx.spendTimes(account, 26);
    expect(await alertsOf(account)).toEqual([]);
    await fx.spendTimes(account, 2);
    expect(await alertsOf(account)).toEqual([['credit.low', 3]]);
    await fx.spendTimes(account, 2);
    expect(await alertsOf(account)).toEqual(BOTH);
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
    await fx.spendTimes(account, 30);
    const shards = await fx.shardsWithEntries();
    await Promise.allSettled([fx.projectLedger(shards), projectLedger(other, shards)]);
    expect(await alertsOf(account)).toEqual(BOTH);
  });

  const ofGrant = (amount: number, bucket: 'granted' | 'paid' = 'granted'): Lift => {
    return ({ accountId }) => fx.grant(accountId, { bucket, amount });
  };
  const nextWindow: Lift = () => clock.advance(3_600_000);
  const afterRefund = (lift: Lift): Lift => {
    return async (account) => [await refundLast(account), await lift(account)];
  };
  const toLarger: Lift = ({ orgId }) => changeOrganization(ctx, orgId, { plan: 'team' });
  test.each<[string, Tier, Lift, number, Alert[]]>([
    ['a grant', 'free', ofGrant(12), 12, BOTH],
    // Two credits are above 0 and not above a tenth.
    ['a small grant', 'free', ofGrant(2), 2, [DEPLETED]],
    ['a purchase', 'free', ofGrant(12, 'paid'), 12, BOTH],
    ['the next window', 'free', nextWindow, 20, BOTH],
    ['the next window, of which a part is spent,', 'free', nextWindow, 17, [['credit.low', 3]]],
    ['the next month', 'enterprise', () => clock.advance(31 * DAY_MS), 30, BOTH],
    ['a larger plan', 'free', toLarger, 40, [['credit.low', 7], DEPLETED]],
    ['a refund', 'free', refundLast, 1, []],
    ['a grant after a refund', 'free', afterRefund(ofGrant(12)), 13, BOTH],
    ['the next window after a refund', 'free', afterRefund(nextWindow), 21, BOTH],
  ])('raise again what %s has lifted the total above, and no more', async (_, plan, lift, spent, raised) => {
    const account = await makeSubscriber(plan);
    await fx.spendTimes(account, 30);
    expect(await alertsOf(account)).toEqual(BOTH);
    await lift(account);
    await fx.spendTimes(account, spent);
    expect(await alertsOf(account)).toEqual([...BOTH, ...raised]);
  });

  const AT_ONCE: Alert[] = [['credit.low', 0], DEPLETED];
  test.each<[string, Tier, before: number, after: number, lastsMs: number, Alert[]]>([
    ['a window and a month that nothing was spent of', 'free', 0, 0, 32 * DAY_MS, []],
    ['a window and a month that are over', 'free', 30, 0, 32 * DAY_MS, BOTH],
    ['a month that is used up, without a window', 'enterprise', 30, 0, DAY_MS, [...BOTH, ...AT_ONCE]],
    ['a window and a month that are used up', 'free', 0, 30, 60_000, AT_ONCE],
  ])('raise both when a lot expires only if nothing else is left: beside %s', async (_, ...row) => {
    const [plan, before, after, lastsMs, raised] = row;
    const account = await makeSubscriber(plan);
    await fx.spendTimes(account, before);
    const expires_at = Math.floor((clock.now() + lastsMs) / 1_000);
    await fx.grant(account.accountId, { bucket: 'granted', amount: 40, expires_at });
    await fx.spendTimes(account, after);
    clock.advance(lastsMs);
    await expireCredits(ctx);
    expect(await alertsOf(account)).toEqual(raised);
  });
});
