import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { projectAll, stateDigest, writePlans } from '../support/credits.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, openKeptLog, startApi, type TestApi } from '../support/harness.ts';
import { makePerson, type Person } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { snapshot } from '../support/rows.ts';
import {
  type CheckoutSession,
  eventOf,
  paidSessionAt,
  stripeSignature,
  WEBHOOK_SECRET,
} from '../support/stripe.ts';

const NOW = Date.parse('2026-03-01T10:00:00Z');
const plan = { window_credits: 20, window_s: 18_000, monthly_credits: 200, credit_price_usd: 0.01 };
const { ctx, api, idp, stripe } = await fixture({
  clock: NOW,
  idp: true,
  stripe: true,
  redis: true,
  env: { PLANS_FILE: writePlans({ free: plan, team: plan, enterprise: plan }) },
});

async function paidSession(who: Person, credits = 500): Promise<CheckoutSession> {
  const { body } = await api.call('/v1/credits/checkout', { key: who.session, body: { credits } });
  return paidSessionAt(stripe, body.url);
}

/** A person, and the event of a session that the person has paid. */
async function makePaid() {
  const person = await makePerson(ctx, idp);
  return { person, body: JSON.stringify(eventOf(await paidSession(person))) };
}

function send(body: string, signature: string | null, on: TestApi = api): Promise<Answer> {
  const headers: Record<string, string> = signature === null ? {} : { 'Stripe-Signature': signature };
  return on.call('/integrations/stripe/webhook', { body, headers });
}

async function paid(who: Person): Promise<number> {
  return (await readBalances(ctx, who.accountId)).balances.paid.credits;
}

const right = (body: string, atMs = NOW) => stripeSignature(body, { atMs });
const v1Of = (signature: string) => signature.split('v1=')[1] ?? '';
const T = NOW / 1_000;

test.each<[what: string, sign: (body: string) => string | null]>([
  ['without a signature', () => null],
  ['with an empty signature', () => ''],
  ['signed with another secret', (body) => stripeSignature(body, { atMs: NOW, secret: 'whsec_another' })],
  ['signed for another body', () => right('{}')],
  ['signed 301 s ago', (body) => right(body, NOW - 301_000)],
  ['signed 301 s ahead', (body) => right(body, NOW + 301_000)],
  ['signed long ago, with a time of now', (body) => `t=${T},v1=${v1Of(right(body, NOW - 3_600_000))}`],
  ['with two times', (body) => `t=${T - 3_600},${right(body)}`],
  ['without a time', (body) => `v1=${v1Of(right(body))}`],
  ['with a time that is no number', (body) => `t=NaN,v1=${v1Of(right(body))}`],
  ['of another scheme', (body) => right(body).replace('v1=', 'v0=')],
  ['with half of a signature', (body) => right(body).slice(0, -32)],
  ['with no v1', () => `t=${T},v1=`],
  ['with the hash of the body alone', (body) => `t=${T},v1=${hmac(body)}`],
])('an event %s is 400 and grants nothing', async (_what, sign) => {
  const { body } = await makePaid();
  await projectAll(ctx);
  const before = await stateDigest(ctx);
  const answer = await send(body, sign(body));
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_signature']);
  expect((await stateDigest(ctx)) === before, 'nothing was written').toBe(true);
});

test.each([
  ['', 'invalid_signature'],
  [`t=${T},v1=00`, 'invalid_signature'],
  [`t=${T - 301},v1=${'0'.repeat(64)}`, 'invalid_signature'],
])('a stranger’s body is not read for the signature %j', async (signature, code) => {
  const head = `POST /integrations/stripe/webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  // Nothing of the body comes: a route that waited for it would answer 408.
  const answer = await sendRaw(
    api.url,
    `${head}Stripe-Signature: ${signature}\r\nContent-Length: 2000000\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 400/);
  expect(answer).toContain(code);
});

test('a compressed event is 415, whoever signed it', async () => {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const { status } = await fetch(`${api.url}/integrations/stripe/webhook`, {
    method: 'POST',
    headers: { ...headers, 'Stripe-Signature': right('{}') },
    body: gzipSync('{}'),
  });
  expect(status).toBe(415);
});

function hmac(text: string): string {
  return createHmac('sha256', WEBHOOK_SECRET).update(text).digest('hex');
}

test('an event that was signed 300 s ago, and one with the signature of an older secret beside, is good', async () => {
  const person = await makePerson(ctx, idp);
  for (const sign of [
    (body: string) => right(body, NOW - 300_000),
    (body: string) => `t=${T},v1=${'0'.repeat(64)},v1=${v1Of(right(body))},v0=${'1'.repeat(64)}`,
  ]) {
    const body = JSON.stringify(eventOf(await paidSession(person)));
    expect((await send(body, sign(body))).body).toEqual({ outcome: 'granted' });
  }
  expect(await paid(person)).toBe(1_000);
});

test.each([
  ['{', 'malformed_json'],
  ['', 'malformed_json'],
  [' '.repeat(2 ** 18 + 1), 'payload_too_large'],
])('a body that is no event is refused, though it is signed (%#)', async (body, code) => {
  expect((await send(body, right(body))).body.code).toBe(code);
});

test.each(['[]', 'null', '1', '{}', '{"type":"checkout.session.completed"}', '"checkout.session.completed"'])(
  'signed JSON that is no event changes nothing: %s',
  async (body) => {
    expect((await send(body, right(body))).body).toEqual({ outcome: 'ignored' });
  },
);

test('a buyer cannot say for whom, at what price or in which bucket', async () => {
  const [mallory, ada] = [await makePerson(ctx, idp), await makePerson(ctx, idp)];
  for (const more of [
    { client_reference_id: ada.accountId },
    { account_id: ada.accountId },
    { credit_price_usd: 0.000_001 },
    { bucket: 'granted' },
    { 'metadata[governor_credits]': '900' },
  ]) {
    const body = { credits: 500, ...more };
    expect((await api.call('/v1/credits/checkout', { key: mallory.session, body })).status).toBe(400);
  }
});

test('a session that is granted to one account is granted to no other, also when both events come at once', async () => {
  const [one, other] = [await makePerson(ctx, idp), await makePerson(ctx, idp)];
  const session = await paidSession(one);
  const sendFor = (person: Person) => {
    const body = JSON.stringify(eventOf({ ...session, client_reference_id: person.accountId }));
    return send(body, right(body));
  };
  const answers = await Promise.all([sendFor(one), sendFor(other)]);
  const outcomes = answers.map(({ body }) => body.outcome);
  expect(outcomes.toSorted((a, b) => a.localeCompare(b))).toEqual(['granted', 'refused']);
  expect([await paid(one), await paid(other)].toSorted((a, b) => a - b)).toEqual([0, 500]);
});

test('more credits than one grant may hold are refused', async () => {
  const person = await makePerson(ctx, idp);
  const session = await paidSession(person);
  const metadata = { governor_credits: '1000000001', governor_cents: '500' };
  const body = JSON.stringify(eventOf({ ...session, metadata }));
  expect((await send(body, right(body))).body.outcome).toBe('refused');
  expect(await paid(person)).toBe(0);
});

test('what a member paid who was removed meanwhile is refused, and the operator is told', async () => {
  const person = await makePerson(ctx, idp);
  const { log, written } = openKeptLog();
  const logged = await startApi({ ctx: { ...ctx, log } });
  const session = await paidSession(person);
  await removeMember(ctx, person.orgId, person.userId);
  const body = JSON.stringify(eventOf(session));
  expect((await send(body, right(body), logged)).body).toEqual({ outcome: 'refused' });
  await logged.close();
  expect(written()).toContain(session.id);
});

test('no log line, no row and no key of Redis holds a secret of Stripe or its signature', async () => {
  const { log, written } = openKeptLog();
  const logged = await startApi({ ctx: { ...ctx, log } });
  const { person, body } = await makePaid();
  const signature = right(body);
  await send(body, signature, logged);
  await send(body, `${signature}0`, logged);
  stripe.failing = 401;
  await logged.call('/v1/credits/checkout', { key: person.session, body: { credits: 500 } });
  stripe.failing = 0;
  await logged.call('/v1/credits/checkout', { key: person.session, body: { credits: 500 } });
  stripe.failing = null;
  await projectAll(ctx);
  await logged.close();
  expect(written()).toContain('Stripe made no Checkout Session');
  const kept = written() + [...(await snapshot(ctx))].join();
  for (const secret of [stripe.env.STRIPE_SECRET_KEY, WEBHOOK_SECRET, v1Of(signature)])
    expect(kept).not.toContain(secret);
});
