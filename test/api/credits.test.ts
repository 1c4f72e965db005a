import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { mintDeviceToken } from '../../shared/core/accounts/keys/credential.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { signerOf } from '../../shared/core/credits/receipts/signer.ts';
import { forgetAnswers, projectAll, sha256, stateDigest } from '../support/credits.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, callSurely, TEST_SIGNING_KEY } from '../support/harness.ts';
import { linkDevice, makePerson, type Person, revoke } from '../support/people.ts';

const HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'usage-governor-key-'));
const keyFile = join(folder, 'key.json');
writeFileSync(keyFile, TEST_SIGNING_KEY);
afterAll(() => rmSync(folder, { recursive: true }));
const { api, ctx, clock, idp, ask, send } = await fixture({
  clock: '2026-03-01T10:00:00Z',
  env: { SIGNING_KEY_FILE: keyFile },
  idp: true,
  redis: true,
});

interface Spender extends Person {
  token: string;
  deviceId: string;
}

/** The one of each test has the credits of its plan, and one device. */
let spender: Spender;
beforeEach(async () => {
  const person = await makePerson(ctx, idp, { plan: 'free' });
  const { access_token, device_id } = await linkDevice(api, person);
  spender = { ...person, token: access_token, deviceId: device_id };
});

function spend(token: string | undefined, options: { key?: string | null; body?: unknown } = {}) {
  const { key = randomUUID(), body = { output_sha256: sha256('output') } } = options;
  return api.call('/v1/meter/consume', {
    ...(token === undefined ? {} : { key: token }),
    body,
    headers: key === null ? {} : { 'Idempotency-Key': key },
  });
}

const spendSurely = (token: string, key: string = randomUUID()) => callSurely(() => spend(token, { key }));

async function addCredits(who: Person, credits: Record<string, unknown>, key: string = randomUUID()) {
  const body = { org_id: who.orgId, user_id: who.userId, ...credits };
  return send('/admin/credits', body, { key: ctx.config.operatorToken, headers: { 'Idempotency-Key': key } });
}

/** Spends everything that the plan gives. */
async function drain(token: string): Promise<void> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => spendSurely(token)));
    if (answers.some(({ status }) => status === 402)) return;
  }
}

const balancesOf = async (who: Person) => (await ask('/v1/balance', undefined, { key: who })).balances;
const ledgerOf = async (who: Person, query = '') =>
  (await ask(`/v1/ledger${query}`, undefined, { key: who })).transactions;

/** Returns the answer of a call, and expects that it changed nothing. */
async function unchanged(call: () => Promise<Answer>): Promise<Answer> {
  await projectAll(ctx);
  const before = await stateDigest(ctx);
  const answer = await call();
  expect(await stateDigest(ctx)).toBe(before);
  return answer;
}

describe('POST /v1/meter/consume: 200', () => {
  test('answers a receipt that the published keys verify, bound to output, device and bucket', async () => {
    const answer = await spend(spender.token, { body: { output_sha256: sha256('x'), kind: 'summary' } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      receipt: expect.any(String),
      delta: -1,
      bucket: 'window',
      reason: 'receipt',
      balance: { window: 19, monthly: 200, paid: 0, granted: 0 },
      created_at: Math.floor(clock.now() / 1_000),
    });
    expect(answer.headers.get('Idempotency-Expires')).toBe(String(clock.now() / 1_000 + 48 * 3_600));
    expect(answer.headers.get('Idempotent-Replayed')).toBeNull();
    const jwks = createLocalJWKSet((await api.call('/.well-known/jwks.json')).body);
    const { payload, protectedHeader } = await jwtVerify(answer.body.receipt, jwks, {
      typ: 'usage-receipt+jwt',
      algorithms: ['Ed25519'],
    });
    expect(protectedHeader.kid).toBe('test-key-1');
    expect(payload).toMatchObject({
      sub: spender.userId,
      org: spender.orgId,
      dev: spender.deviceId,
      bucket: 'window',
      delta: -1,
      out: sha256('x'),
      kind: 'summary',
      iat: Math.floor(clock.now() / 1_000),
      jti: expect.any(String),
      idk: expect.any(String),
    });
  });

  test('one key sent 200 times at once is one spend and 200 equal answers', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 200 }, () => spendSurely(spender.token, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === null)).toHaveLength(1);
    expect((await balancesOf(spender)).window.credits).toBe(19);
  });

  test('500 at once on 100 credits: 100 succeed and 400 are refused', async () => {
    await drain(spender.token);
    await addCredits(spender, { bucket: 'paid', amount: 100 });
    const answers = await Promise.all(Array.from({ length: 500 }, () => spendSurely(spender.token)));
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([statuses.get(200)?.length, statuses.get(402)?.length]).toEqual([100, 400]);
  });

  test('another device of the account gets the stored answer for the same key and output', async () => {
    const other = await linkDevice(api, spender);
    const key = randomUUID();
    const first = await spend(spender.token, { key });
    const second = await spend(other.access_token, { key });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    expect((await spend(other.access_token)).body.balance.window).toBe(18);
  });
});

describe('POST /v1/meter/consume: refusals, which change nothing', () => {
  test('402 names when credits come back, also while a reset is due, and the key works after a top-up', async () => {
    await drain(spender.token);
    const startedAt = clock.now();
    const key = randomUUID();
    const refused = await unchanged(() => spend(spender.token, { key }));
    expect(refused.status).toBe(402);
    expect(refused.body).toMatchObject({
      code: 'insufficient_credits',
      balances: {
        window: { credits: 0, resets_at: startedAt / 1_000 + 5 * 3_600 },
        monthly: { credits: 0, resets_at: expect.any(Number) },
        paid: { credits: 0 },
        granted: { credits: 0 },
      },
      next_refill: startedAt / 1_000 + 5 * 3_600,
    });
    await addCredits(spender, { bucket: 'granted', amount: 1 });
    expect((await spend(spender.token, { key })).body.bucket).toBe('granted');
  });

  test('422 for a key with another output, also from another device', async () => {
    const other = await linkDevice(api, spender);
    const key = randomUUID();
    await spend(spender.token, { key });
    for (const token of [spender.token, other.access_token]) {
      const body = { output_sha256: sha256('another') };
      const answer = await unchanged(() => spend(token, { key, body }));
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused']);
    }
  });

  test.each([
    ['no key', null],
    ['a key too long', 'k'.repeat(129)],
    ['a comma', 'a,b'],
    ['no ASCII', 'k\u00e9y'],
  ])('400 for %s', async (_what, key) => {
    const answer = await unchanged(() => spend(spender.token, { key }));
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });

  test.each([
    [{}],
    [{ output_sha256: 'A'.repeat(64) }],
    [{ output_sha256: sha256('x'), amount: 2 }],
    [{ output_sha256: sha256('x'), bucket: 'paid' }],
    [{ output_sha256: sha256('x'), seq: 1, remaining: 9 }],
    [{ output_sha256: { $ne: null } }],
    [[]],
  ])('400 for the body %j', async (body) => {
    const answer = await unchanged(() => spend(spender.token, { body }));
    expect(answer.status).toBe(400);
  });

  test('401, with one body, for every token that may not spend', async () => {
    const revoked = await linkDevice(api, spender);
    await revoke(api, spender, revoked.device_id);
    const flipped = spender.token.slice(0, -1) + (spender.token.endsWith('A') ? 'B' : 'A');
    const neverIssued = mintDeviceToken(spender.accountId).token;
    const ofNobody = mintDeviceToken(`usr_${'0'.repeat(22)}`).token;
    const wrong = [undefined, '', 'x'.repeat(9_000), flipped, neverIssued, ofNobody, spender.session];
    const answers: Answer[] = [];
    for (const token of [...wrong, revoked.access_token]) answers.push(await unchanged(() => spend(token)));
    const bodies = answers.map(({ status, body: { request_id: _, ...body } }) =>
      JSON.stringify([status, body]),
    );
    expect(answers[0]?.status).toBe(401);
    expect(new Set(bodies).size).toBe(1);
    expect(answers.every(({ headers }) => headers.get('WWW-Authenticate') === 'Bearer')).toBe(true);
  });

  test('503 signing_unavailable while the key file is missing or unreadable; replays are still answered', async () => {
    const key = randomUUID();
    const first = await spend(spender.token, { key });
    for (const broken of ['', '{"kty":"OKP"}', null]) {
      if (broken === null) rmSync(keyFile);
      else writeFileSync(keyFile, broken);
      signerOf(ctx).reload();
      const refused = await unchanged(() => spend(spender.token));
      expect([refused.status, refused.body.code]).toEqual([503, 'signing_unavailable']);
      expect((await spend(spender.token, { key })).text).toBe(first.text);
      expect((await api.call('/healthz')).status).toBe(200);
    }
    writeFileSync(keyFile, TEST_SIGNING_KEY);
    signerOf(ctx).reload();
    expect((await spend(spender.token)).status).toBe(200);
  });
});

describe('POST /admin/credits', () => {
  test('answers the ledger row, once for a key, for ever', async () => {
    const key = randomUUID();
    const first = await addCredits(spender, { bucket: 'paid', amount: 7 }, key);
    const row = { delta: 7, bucket: 'paid', reason: 'credit.purchase', created_at: expect.any(Number) };
    expect([first.status, first.body]).toEqual([201, row]);
    clock.advance(49 * HOUR_MS);
    await projectAll(ctx);
    const again = await addCredits(spender, { bucket: 'paid', amount: 7 }, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const marks = [first, again].map(({ headers }) => headers.get('Idempotent-Replayed'));
    expect(marks).toEqual([null, 'true']);
    expect((await balancesOf(spender)).paid).toEqual({
      credits: 7,
      lots: [{ credits: 7, expires_at: null }],
    });
  });

  test('is recorded in the audit log once, also when the api died between the credits and the record', async () => {
    const key = randomUUID();
    const record = vi.spyOn(auditRows(ctx), 'insertOne').mockRejectedValueOnce(new Error('died'));
    expect((await addCredits(spender, { bucket: 'paid', amount: 7 }, key)).status).toBe(500);
    record.mockRestore();
    for (let repeat = 0; repeat < 3; repeat += 1)
      expect((await addCredits(spender, { bucket: 'paid', amount: 7 }, key)).status).toBe(201);
    const rows = await auditRows(ctx).find({ org_id: spender.orgId, action: 'credits.add' }).toArray();
    expect(rows).toMatchObject([{ details: { user_id: spender.userId, bucket: 'paid', amount: 7 } }]);
  });

  test('is recorded for each member who is granted credits under one key', async () => {
    const people = [
      spender,
      await makePerson(ctx, idp, { orgId: spender.orgId }),
      await makePerson(ctx, idp),
    ];
    const key = randomUUID();
    for (const person of [...people, ...people])
      expect((await addCredits(person, { bucket: 'paid', amount: 7 }, key)).status).toBe(201);
    const ofOrganizations = {
      org_id: { $in: people.map(({ orgId }) => orgId) },
      action: 'credits.add',
    } as const;
    const rows = await auditRows(ctx).find(ofOrganizations).toArray();
    const named = rows.map(({ org_id, details }) => `${org_id} ${String(details.user_id)}`);
    expect(named.toSorted()).toEqual(people.map(({ orgId, userId }) => `${orgId} ${userId}`).toSorted());
  });

  test.each([0, -1, 1.5, 1e9 + 1, 2 ** 53, '5'])('400 for the amount %j', async (amount) => {
    expect((await unchanged(() => addCredits(spender, { bucket: 'paid', amount }))).status).toBe(400);
  });

  test('404 for a stranger', async () => {
    const stranger = { ...spender, userId: 'nobody' };
    expect((await addCredits(stranger, { bucket: 'paid', amount: 1 })).status).toBe(404);
  });

  test('lots are spent by soonest expiry and are gone once they expire', async () => {
    await drain(spender.token);
    const now = Math.floor(clock.now() / 1_000);
    await addCredits(spender, { bucket: 'paid', amount: 1 });
    await addCredits(spender, { bucket: 'paid', amount: 1, expires_at: now + 7_200 });
    await addCredits(spender, { bucket: 'paid', amount: 1, expires_at: now + 3_600 });
    const { lots } = (await balancesOf(spender)).paid;
    expect(lots.map((lot: { expires_at: number | null }) => lot.expires_at)).toEqual([
      now + 3_600,
      now + 7_200,
      null,
    ]);
    clock.advance(2 * HOUR_MS);
    expect((await spend(spender.token)).body.balance.paid).toBe(0);
    expect((await spend(spender.token)).status).toBe(402);
    expect(await ledgerOf(spender, '?reason=credit.expire')).toHaveLength(2);
  });
});

describe('GET /v1/ledger', () => {
  test('is empty for a member without history', async () => {
    const person = await makePerson(ctx, idp);
    const { status, body } = await api.call('/v1/ledger', { key: person.session });
    expect([status, body]).toEqual([200, { transactions: [], has_more: false, cursor: expect.any(String) }]);
  });

  test('shows a spend as soon as it was answered, newest first, with the resets that it opened', async () => {
    await spend(spender.token);
    await addCredits(spender, { bucket: 'granted', amount: 3 });
    const rows = await ledgerOf(spender);
    expect(rows.map((row: Record<string, unknown>) => [row.delta, row.bucket, row.reason])).toEqual([
      [3, 'granted', 'credit.grant'],
      [-1, 'window', 'receipt'],
      [200, 'monthly', 'monthly.reset'],
      [20, 'window', 'window.reset'],
    ]);
    expect(Object.keys(rows[0]).sort()).toEqual(['bucket', 'created_at', 'delta', 'reason']);
  });

  test('is narrowed by time, and shows up to 500 rows', async () => {
    const times: number[] = [];
    for (let count = 0; count < 30; count += 1) {
      times.push(Math.floor(clock.now() / 1_000));
      await spend(spender.token);
      clock.advance(1_000);
    }
    expect(await ledgerOf(spender, '?reason=receipt&bucket=monthly')).toHaveLength(10);
    expect(await ledgerOf(spender, '?reason=receipt&limit=500')).toHaveLength(30);
    expect(await ledgerOf(spender, `?from=${times[10]}&to=${times[20]}`)).toHaveLength(10);
    expect(await ledgerOf(spender, `?to=${times[0]}`)).toHaveLength(0);
  });

  test('503, not half an answer, when a store is away before there is a row to send, with and without limit', async () => {
    await spend(spender.token);
    vi.spyOn(ledgerRows(ctx), 'findOne').mockImplementation(() => {
      throw new Error('Connection is closed.');
    });
    for (const query of ['', '?limit=5']) {
      const answer = await api.call(`/v1/ledger${query}`, { key: spender.session });
      expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
    }
    vi.restoreAllMocks();
    expect(await ledgerOf(spender)).toHaveLength(3);
  });

  test('is no receipt store: nothing that it can be asked for shows a receipt', async () => {
    const { receipt } = (await spend(spender.token)).body;
    for (const query of ['', '?include=details', '?include=details&limit=1', '?reason=receipt'])
      expect((await api.call(`/v1/ledger${query}`, { key: spender.session })).text).not.toContain(receipt);
    for (const include of ['receipt', 'all'])
      expect((await api.call(`/v1/ledger?include=${include}`, { key: spender.session })).status).toBe(400);
  });

  test('with include=details shows the id and the balance after each transaction, and the device of each spend', async () => {
    await spend(spender.token);
    await addCredits(spender, { bucket: 'paid', amount: 7 });
    await spend(spender.token);
    const rows: Record<string, unknown>[] = await ledgerOf(spender, '?include=details');
    const plain: Record<string, unknown>[] = await ledgerOf(spender);
    const bare = rows.map(({ id, device_id, balance_after, ...row }) => row);
    expect(bare).toEqual(plain);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(5);
    const sums = plain.map((_, index) =>
      plain.slice(index).reduce((sum, { delta }) => sum + Number(delta), 0),
    );
    expect(rows.map(({ balance_after }) => balance_after)).toEqual(sums);
    expect(rows.map(({ device_id }) => device_id)).toEqual(
      plain.map(({ reason }) => (reason === 'receipt' ? spender.deviceId : undefined)),
    );
    expect(await ledgerOf(spender, '?include=details&limit=2')).toEqual(rows.slice(0, 2));
  });

  test.each(['limit=501', 'from=yesterday'])('400 for %s', async (query) => {
    expect((await api.call(`/v1/ledger?${query}`, { key: spender.session })).status).toBe(400);
  });
});

test('GET /v1/balance of a member without a device is what the plan gives', async () => {
  const person = await makePerson(ctx, idp, { plan: 'free' });
  const { status, body } = await api.call('/v1/balance', { key: person.session });
  expect([status, body]).toEqual([
    200,
    {
      balances: {
        window: { credits: 20, resets_at: null },
        monthly: { credits: 200, resets_at: null },
        paid: { credits: 0, lots: [] },
        granted: { credits: 0, lots: [] },
      },
      total: 220,
    },
  ]);
});

describe('a key that comes back after its 48 hours', () => {
  test('costs one credit in sum for the same output', async () => {
    const key = randomUUID();
    await spend(spender.token, { key });
    await projectAll(ctx);
    await forgetAnswers(ctx, spender.accountId);
    clock.advance(49 * HOUR_MS);
    await spend(spender.token, { key });
    await projectAll(ctx);
    await projectAll(ctx);
    const deltas = (await ledgerOf(spender))
      .filter((row: { reason: string }) => ['receipt', 'credit.refund'].includes(row.reason))
      .map((row: { delta: number }) => row.delta);
    expect(deltas).toEqual([1, -1, -1]);
    expect((await balancesOf(spender)).window.credits).toBe(20);
  });

  test('costs one credit in sum for each output that it was used for', async () => {
    const key = randomUUID();
    for (const output of ['a', 'b', 'b', 'a', 'c', 'b']) {
      await spend(spender.token, { key, body: { output_sha256: sha256(output) } });
      await projectAll(ctx);
      await forgetAnswers(ctx, spender.accountId);
    }
    expect((await balancesOf(spender)).window.credits).toBe(17);
  });
});
