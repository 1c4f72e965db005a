import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { plansOf } from '../../shared/core/credits/meter/plans.ts';
import { projectAll, writePlans } from '../support/credits.ts';
import { fixture } from '../support/fixture.ts';
import type { Answer } from '../support/harness.ts';
import { linkDevice, makePerson, type Person } from '../support/people.ts';
import {
  type CheckoutSession,
  eventOf,
  paidSessionAt,
  type StripeEvent,
  stripeSignature,
} from '../support/stripe.ts';

const START = Date.parse('2026-03-01T10:00:00Z');
const given = { window_credits: 20, window_s: 18_000, monthly_credits: 200 };
const plans = { free: given, team: { ...given, credit_price_usd: 0.0125 }, enterprise: given };
const { ctx, api, clock, idp, stripe, metric } = await fixture({
  clock: START,
  idp: true,
  stripe: true,
  redis: true,
  env: { PLANS_FILE: writePlans(plans), BASE_URL: 'https://credits.example' },
});
const makeBuyer = () => makePerson(ctx, idp);

function buy(who: Person, credits: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return api.call('/v1/credits/checkout', { key: who.session, body: { credits }, headers });
}

/** The session that a person has paid. */
async function paidSession(who: Person, credits: number): Promise<CheckoutSession> {
  const { body } = await buy(who, credits);
  return paidSessionAt(stripe, body.url);
}

/** A person with a session of 500 credits that is paid. */
async function makePaid() {
  const person = await makeBuyer();
  return { person, session: await paidSession(person, 500) };
}

function send(event: StripeEvent): Promise<Answer> {
  const body = JSON.stringify(event);
  const headers = { 'Stripe-Signature': stripeSignature(body, { atMs: clock.now() }) };
  return api.call('/integrations/stripe/webhook', { body, headers });
}

/** The credits that a person has bought, with their lots. */
const paidOf = async (who: Person) =>
  (await api.call('/v1/balance', { key: who.session })).body.balances.paid;

describe('POST /v1/credits/checkout', () => {
  test('answers the page at Stripe, which asks for the price of the plan and knows the account', async () => {
    const person = await makeBuyer();
    const { status, body } = await buy(person, 1_001);
    expect([status, Object.keys(body)]).toEqual([200, ['url']]);
    const session = stripe.sessions.get(body.url.split('/').at(-1));
    expect(session).toMatchObject({
      mode: 'payment',
      client_reference_id: person.accountId,
      currency: 'usd',
      // 1,001 × 0.0125 USD = 12.5125 USD.
      amount_total: 1_251,
      metadata: { governor_credits: '1001', governor_cents: '1251' },
      success_url: 'https://credits.example/dashboard/credits?bought=1001&checkout={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://credits.example/dashboard/credits',
    });
    expect(stripe.requests.at(-1)?.get('adaptive_pricing[enabled]')).toBe('false');
  });

  /** Asks for 100 credits by a key, and never reads the answer of Stripe. */
  async function buyUnanswered(person: Person) {
    const headers = { 'Idempotency-Key': randomUUID() };
    const json = vi.spyOn(Response.prototype, 'json').mockRejectedValueOnce(new Error('cut'));
    const { status, body } = await buy(person, 100, headers);
    json.mockRestore();
    expect([status, body.code]).toEqual([503, 'payments_unavailable']);
    return headers;
  }

  test('a repeat after Stripe gave no answer makes one Checkout Session', async () => {
    const person = await makeBuyer();
    const before = stripe.sessions.size;
    const headers = await buyUnanswered(person);
    clock.advance(5_000);
    expect((await buy(person, 100, headers)).status).toBe(200);
    clock.set(START);
    expect(stripe.sessions.size).toBe(before + 1);
  });

  test('a repeat after the price has changed is 409, not a fault of the set-up', async () => {
    const person = await makeBuyer();
    const headers = await buyUnanswered(person);
    const { team } = plansOf(ctx);
    const before = team.credit_price_usd;
    Object.assign(team, { credit_price_usd: 0.02 });
    const { status, body } = await buy(person, 100, headers);
    Object.assign(team, { credit_price_usd: before });
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  test.each([39, 80_000_000])('400 for %i credits', async (credits) => {
    const { status, body } = await buy(await makeBuyer(), credits);
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', '/credits']);
  });

  test('the least number costs what Stripe charges at least', async () => {
    const session = await paidSession(await makeBuyer(), 40);
    expect(session.amount_total).toBe(50);
    // Half a cent goes up: 42 × 1.25.
    expect((await paidSession(await makeBuyer(), 42)).amount_total).toBe(53);
  });

  test('503 not_ready for a plan without a price', async () => {
    const person = await makePerson(ctx, idp, { plan: 'free' });
    expect((await buy(person, 100)).body).toMatchObject({ status: 503, code: 'not_ready' });
    const price = await api.call('/v1/credits/price', { key: person.session });
    expect(price.body).toEqual({ credit_price_usd: null, least: null, most: null });
  });

  test.each([
    // To 409 another request with this key is under way, and 0 is a connection that is reset.
    ['payments_unavailable', [0, 500, 429, 409, 503]],
    ['not_ready', [400, 401, 403]],
  ])('503 %s when Stripe answers %j', async (code, failures) => {
    for (const failing of failures) {
      stripe.failing = failing;
      const { status, body } = await buy(await makeBuyer(), 100);
      stripe.failing = null;
      expect([status, body.code], String(failing)).toEqual([503, code]);
    }
  });
});

test('GET /v1/credits/price says what a credit costs and how many can be bought', async () => {
  const { body } = await api.call('/v1/credits/price', { key: (await makeBuyer()).session });
  expect(body).toEqual({ credit_price_usd: 0.0125, least: 40, most: 79_999_999 });
});

test('GET /v1/credits/checkout/{id} is true once the buyer has the credits, and to nobody else', async () => {
  const { person, session } = await makePaid();
  const arrived = async (who: Person, id: string) =>
    (await api.call(`/v1/credits/checkout/${id}`, { key: who.session })).body.arrived;
  expect(await arrived(person, session.id)).toBe(false);
  await send(eventOf(session));
  expect(await arrived(person, session.id)).toBe(true);
  expect(await arrived(await makeBuyer(), session.id)).toBe(false);
  expect(await arrived(person, 'cs_test_another')).toBe(false);
});

describe('POST /integrations/stripe/webhook', () => {
  test.each([
    ['as it was offered', 625],
    ['with a tax on top', 744],
  ])('grants the credits of a session that is paid %s as a purchase, and records it', async (_how, cents) => {
    const { person, session } = await makePaid();
    const { status, body } = await send(eventOf({ ...session, amount_total: cents }));
    expect([status, body]).toEqual([200, { outcome: 'granted' }]);
    expect(await paidOf(person)).toEqual({ credits: 500, lots: [{ credits: 500, expires_at: null }] });
    await projectAll(ctx);
    const ledger = await api.call('/v1/ledger', { key: person.session });
    expect(ledger.body.transactions).toEqual([
      { delta: 500, bucket: 'paid', reason: 'credit.purchase', created_at: START / 1_000 },
    ]);
    const details = { user_id: person.userId, amount: 500, checkout: session.id, cents };
    const recorded = await auditRows(ctx).find({ org_id: person.orgId, action: 'credits.add' }).toArray();
    expect(recorded).toMatchObject([{ details }]);
  });

  test('a session is granted once, whatever number of events name it, also after 49 hours', async () => {
    const { person, session } = await makePaid();
    const types = ['checkout.session.completed', 'checkout.session.async_payment_succeeded'];
    const outcomes: string[] = [];
    for (const hours of [0, 0, 49]) {
      clock.advance(hours * 3_600_000);
      for (const type of types) outcomes.push((await send(eventOf(session, type))).body.outcome);
      await projectAll(ctx);
    }
    clock.set(START);
    expect(outcomes).toEqual(['granted', ...Array(5).fill('repeated')]);
    expect((await paidOf(person)).credits).toBe(500);
  });

  test('an unpaid session changes nothing until its payment has succeeded, in whichever order the events come', async () => {
    const done = 'checkout.session.async_payment_succeeded';
    for (const order of [
      ['paid', 'unpaid'],
      ['unpaid', 'paid'],
    ] as const) {
      const { person, session } = await makePaid();
      const unpaid = eventOf({ ...session, payment_status: 'unpaid' });
      const events = { paid: eventOf(session, done), unpaid };
      for (const name of order) expect((await send(events[name])).status).toBe(200);
      expect((await paidOf(person)).credits).toBe(500);
    }
    const { person, session } = await makePaid();
    const { body } = await send(eventOf({ ...session, payment_status: 'no_payment_required' }));
    expect([body, (await paidOf(person)).credits]).toEqual([{ outcome: 'unpaid' }, 0]);
  });

  test('other events, and sessions that others made at the same Stripe account, are 200 and change nothing', async () => {
    const { person, session } = await makePaid();
    for (const event of [
      eventOf(session, 'checkout.session.expired'),
      eventOf(session, 'checkout.session.async_payment_failed'),
      eventOf(session, 'charge.succeeded'),
      eventOf({ ...session, metadata: {} }),
      eventOf({ ...session, metadata: null }),
      eventOf({ id: 'cs_1', object: 'checkout.session' }),
      { ...eventOf(session), data: null } as unknown as StripeEvent,
    ]) {
      const { status, body } = await send(event);
      expect([status, body]).toEqual([200, { outcome: 'ignored' }]);
    }
    expect((await paidOf(person)).credits).toBe(0);
  });

  test.each<[what: string, change: Partial<CheckoutSession>]>([
    ['less than the price', { amount_total: 624 }],
    ['another currency', { currency: 'jpy' }],
    ['a subscription', { mode: 'subscription' }],
    ['an account that nobody has', { client_reference_id: 'usr_of_nobody' }],
    ['no account', { client_reference_id: null }],
    ['a number that we did not write', { metadata: { governor_credits: '1e9', governor_cents: '625' } }],
  ])('%s is 200, refused, counted and logged', async (_what, change) => {
    const { person, session: paid } = await makePaid();
    const session = { ...paid, ...change };
    const before = await metric('governor_credit_purchase_events_total{outcome="refused"}');
    const log = vi.spyOn(ctx.log, 'error');
    const { status, body } = await send(eventOf(session));
    expect([status, body]).toEqual([200, { outcome: 'refused' }]);
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ checkout: session.id }), expect.any(String));
    log.mockRestore();
    expect((await paidOf(person)).credits).toBe(0);
    expect(await metric('governor_credit_purchase_events_total{outcome="refused"}')).toBe(before + 1);
  });

  test('503 while the grant cannot be stored, and the next attempt of Stripe grants it', async () => {
    const { person, session } = await makePaid();
    await linkDevice(api, person);
    const epochs = await ctx.redis.producer.keys('{c*}:epoch');
    const values = await ctx.redis.producer.mget(...epochs);
    await ctx.redis.producer.del(...epochs);
    expect((await send(eventOf(session))).body).toMatchObject({ status: 503, code: 'rebuilding' });
    await ctx.redis.producer.mset(...epochs.flatMap((epoch, index) => [epoch, values[index] ?? '']));
    expect((await send(eventOf(session))).body).toEqual({ outcome: 'granted' });
  });

  test('what was answered is in the ledger, so that a Redis that loses everything loses no purchase', async () => {
    const { person, session } = await makePaid();
    expect((await send(eventOf(session))).body).toEqual({ outcome: 'granted' });
    await ctx.redis.producer.flushall();
    await recoverCredits(ctx);
    expect((await paidOf(person)).credits).toBe(500);
  });

  test('what an operator granted by hand with the id of the session is not granted again', async () => {
    const { person, session } = await makePaid();
    await api.call('/admin/credits', {
      key: ctx.config.operatorToken,
      headers: { 'Idempotency-Key': session.id },
      body: { org_id: person.orgId, user_id: person.userId, bucket: 'paid', amount: 500 },
    });
    expect((await send(eventOf(session))).body).toEqual({ outcome: 'repeated' });
    expect((await paidOf(person)).credits).toBe(500);
  });
});
