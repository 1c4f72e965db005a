import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { makeAccount, type TestAccount } from '../support/credits.ts';
import { type Child, hasEnded, startChild } from '../support/drills/child.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import { until } from '../support/harness.ts';
import { eventOf, type StripeEvent, sendEvent, WEBHOOK_SECRET } from '../support/stripe.ts';

let stack: Stack;
/** A second api, and what lies between it and Redis. */
let second: Child;
let proxy: NetProxy;
let secondEnv: Record<string, string>;

beforeAll(async () => {
  stack = await startStack({ env: { STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET } });
  proxy = await startProxy(Number(new URL(stack.env.REDIS_URL ?? '').port));
  secondEnv = { ...stack.env, REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
  second = await startChild('api/main.ts', secondEnv);
});
beforeEach(async () => {
  proxy.onRequest = () => true;
  proxy.mode = 'pass';
  await stack.mend();
  if (hasEnded(second.process)) second = await startChild('api/main.ts', secondEnv);
});

afterAll(async () => {
  await second?.kill();
  await stack?.stop();
  await proxy?.close();
});

let made = 0;

/** As it is at Stripe after somebody has paid for 500 credits. */
function paidSession({ accountId }: TestAccount): object {
  made += 1;
  return {
    id: `cs_test_${made}`,
    mode: 'payment',
    payment_status: 'paid',
    currency: 'usd',
    amount_total: 500,
    client_reference_id: accountId,
    metadata: { governor_credits: '500', governor_cents: '500' },
  };
}

const hook = (url: string) => `${url}/integrations/stripe/webhook`;

/** As Stripe does: until there is a 2xx. */
async function sendUntilTaken(url: string, event: StripeEvent): Promise<string> {
  for (;;) {
    const answer = await sendEvent(hook(url), event).catch(() => null);
    if (answer?.ok) return ((await answer.json()) as { outcome: string }).outcome;
    await answer?.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Its credits, its rows in the ledger and its entries in the audit log. */
async function grantsOf({
  accountId,
  orgId,
}: TestAccount): Promise<[credits: number, rows: number, audit: number]> {
  const isProjected = async () => (await ledgerRows(stack.ctx).countDocuments({ account_id: accountId })) > 0;
  await until(isProjected, { what: 'the row of the purchase' });
  const { balances } = await readBalances(stack.ctx, accountId);
  return [
    balances.paid.credits,
    await ledgerRows(stack.ctx).countDocuments({ account_id: accountId, reason: 'credit.purchase' }),
    await auditRows(stack.ctx).countDocuments({ org_id: orgId, action: 'credits.add' }),
  ];
}

test('two kinds of events about one session, at two processes at once, are one grant', async () => {
  for (let round = 0; round < 5; round += 1) {
    const account = await makeAccount(stack.ctx);
    const session = paidSession(account);
    const types = ['checkout.session.completed', 'checkout.session.async_payment_succeeded'];
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const url = index % 2 === 0 ? stack.url : second.url;
        return sendUntilTaken(url, eventOf(session, types[index % 4 < 2 ? 0 : 1]));
      }),
    );
    expect(outcomes.toSorted()).toEqual(['granted', ...Array(15).fill('repeated')]);
    expect(await grantsOf(account)).toEqual([500, 1, 1]);
  }
});

test('an api that is killed after the grant and before its answer has granted once when Stripe has its 200', async () => {
  for (const whoNext of ['the other api', 'itself, started again']) {
    const account = await makeAccount(stack.ctx);
    const event = eventOf(paidSession(account));
    // From the grant on, Redis' answers do not reach this api.
    proxy.onRequest = (chunk) => {
      if (chunk.includes('credit.purchase')) proxy.mode = 'drop-replies';
      return true;
    };
    const unanswered = sendEvent(hook(second.url), event).then(
      ({ ok }) => ok,
      () => false,
    );
    const isGranted = async () =>
      (await readBalances(stack.ctx, account.accountId)).balances.paid.credits === 500;
    await until(isGranted, { what: 'the grant in Redis' });
    await second.kill();
    expect(await unanswered, whoNext).toBe(false);
    proxy.onRequest = () => true;
    proxy.mode = 'pass';
    if (whoNext !== 'the other api') second = await startChild('api/main.ts', secondEnv);
    const url = whoNext === 'the other api' ? stack.url : second.url;
    expect(await sendUntilTaken(url, event)).toBe('repeated');
    expect(await grantsOf(account), whoNext).toEqual([500, 1, 1]);
    if (whoNext === 'the other api') second = await startChild('api/main.ts', secondEnv);
  }
});
