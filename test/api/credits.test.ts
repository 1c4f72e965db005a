import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { mintDeviceToken } from '../../shared/core/accounts/keys/credential.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { forgetAnswers, projectAll, sha256, stateDigest } from '../support/credits.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, callSurely } from '../support/harness.ts';
import { linkDevice, makePerson, type Person, revoke } from '../support/people.ts';

const HOUR_MS = 3_600_000;
const start = '2026-03-01T10:00:00Z';
const { api, ctx, clock, idp, ask, send } = await fixture({ clock: start, idp: true, redis: true });

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
    const kind = { typ: 'usage-receipt+jwt', algorithms: ['Ed25519'] };
    const { payload, protectedHeader } = await jwtVerify(answer.body.receipt, jwks, kind);
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

  test('a key is answered by any device of the account as it was, and with another output is 422', async () => {
    const other = await linkDevice(api, spender);
    const key = randomUUID();
    const first = await spend(spender.token, { key });
    const second = await spend(other.access_token, { key });
    expect([second.text, second.headers.get('Idempotent-Replayed')]).toEqual([first.text, 'true']);
    const body = { output_sha256: sha256('another') };
    for (const token of [spender.token, other.access_token])
      expect(await unchanged(() => spend(token, { key, body }))).toMatchObject({
        status: 422,
        body: { code: 'idempotency_key_reused' },
      });
    expect((await spend(other.access_token)).body.balance.window).toBe(18);
  });
});

describe('POST /v1/meter/consume: refusals, which change nothing', () => {
  test('402 names when credits come back, also while a reset is due, and the key works after a top-up', async () => {
    await drain(spender.token);
    const next_refill = clock.now() / 1_000 + 5 * 3_600;
    const key = randomUUID();
    const { status, body } = await unchanged(() => spend(spender.token, { key }));
    const [window, monthly] = [next_refill, expect.any(Number)].map((resets_at) => ({
      credits: 0,
      resets_at,
    }));
    const balances = { window, monthly, paid: { credits: 0 }, granted: { credits: 0 } };
    expect([status, body]).toMatchObject([402, { code: 'insufficient_credits', balances, next_refill }]);
    await addCredits(spender, { bucket: 'granted', amount: 1 });
    expect((await spend(spender.token, { key })).body.bucket).toBe('granted');
  });

  test.each([
    { key: null },
    { key: 'k'.repeat(129) },
    { key: 'a,b' },
    { body: {} },
    { body: { output_sha256: 'A'.repeat(64) } },
    { body: { output_sha256: sha256('x'), amount: 2 } },
    { body: { output_sha256: sha256('x'), bucket: 'paid' } },
    { body: { output_sha256: sha256('x'), seq: 1, remaining: 9 } },
    { body: { output_sha256: sha256('x'), created_at: 1 } },
    { body: { output_sha256: sha256('x'), account_id: 'usr_other' } },
    { body: { output_sha256: { $ne: null } } },
    { body: [] },
  ])('400 for %j', async (wrong) => {
    const answer = await unchanged(() => spend(spender.token, wrong));
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });

  test('401, with one body, for every token that may not spend', async () => {
    const revoked = await linkDevice(api, spender);
    await revoke(api, spender, revoked.device_id);
    const flipped = spender.token.slice(0, -1) + (spender.token.endsWith('A') ? 'B' : 'A');
    const neverIssued = mintDeviceToken(spender.accountId).token;
    const ofNobody = mintDeviceToken(`usr_${'0'.repeat(22)}`).token;
    const wrong = [undefined, '', 'x'.repeat(9_000), flipped, neverIssued, ofNobody, spender.session];
    const left = await makePerson(ctx, idp, { orgId: spender.orgId });
    const ofLeft = await linkDevice(api, left);
    await removeMember(ctx, left.orgId, left.userId);
    expect((await send('/v1/balance', undefined, { key: left })).status).toBe(401);
    const bodies = new Set<string>();
    for (const token of [...wrong, revoked.access_token, ofLeft.access_token]) {
      const { status, headers, body } = await unchanged(() => spend(token));
      expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
      bodies.add(JSON.stringify({ ...body, request_id: '' }));
    }
    expect(bodies.size).toBe(1);
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
    const lots = [{ credits: 7, expires_at: null }];
    expect((await balancesOf(spender)).paid).toEqual({ credits: 7, lots });
  });

  test('is recorded once for each member under one key, also when the api died between the credits and the record', async () => {
    const others = [makePerson(ctx, idp, { orgId: spender.orgId }), makePerson(ctx, idp)];
    const people = [spender, ...(await Promise.all(others))];
    const [key, credits] = [randomUUID(), { bucket: 'paid', amount: 7 }];
    const record = vi.spyOn(auditRows(ctx), 'insertOne').mockRejectedValueOnce(new Error('died'));
    expect((await addCredits(spender, credits, key)).status).toBe(500);
    record.mockRestore();
    for (const person of [...people, ...people])
      expect((await addCredits(person, credits, key)).status).toBe(201);
    for (const { orgId: org_id, userId: user_id } of people) {
      const rows = await auditRows(ctx).find({ org_id, action: 'credits.add' }).toArray();
      const own = rows.filter(({ details }) => details.user_id === user_id);
      expect(own).toMatchObject([{ details: credits }]);
    }
  });

  test.each([0, -1, 1.5, 1e9 + 1, 2 ** 53, '5'])('400 for the amount %j', async (amount) => {
    expect((await unchanged(() => addCredits(spender, { bucket: 'paid', amount }))).status).toBe(400);
  });

  test('404 for a stranger', async () => {
    const stranger = { ...spender, userId: 'nobody' };
    expect((await addCredits(stranger, { bucket: 'paid', amount: 1 })).status).toBe(404);
  });

  test('lots are shown by soonest expiry, and are gone once they expire', async () => {
    const now = Math.floor(clock.now() / 1_000);
    const ends = async () => {
      const { lots } = (await balancesOf(spender)).paid;
      return lots.map((lot: { expires_at: number | null }) => lot.expires_at);
    };
    for (const expires_at of [undefined, now + 7_200, now + 3_600])
      await addCredits(spender, { bucket: 'paid', amount: 1, expires_at });
    expect(await ends()).toEqual([now + 3_600, now + 7_200, null]);
    clock.advance(2 * HOUR_MS);
    expect(await ends()).toEqual([null]);
    await spend(spender.token);
    expect(await ledgerOf(spender, '?reason=credit.expire')).toHaveLength(2);
  });
});

describe('GET /v1/ledger', () => {
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
    for (const query of ['limit=501', 'from=yesterday'])
      expect((await api.call(`/v1/ledger?${query}`, { key: spender.session })).status).toBe(400);
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
    const [rows, plain] = [await ledgerOf(spender, '?include=details'), await ledgerOf(spender)];
    const sumFrom = (at: number): number =>
      plain.slice(at).reduce((sum: number, { delta }: { delta: number }) => sum + delta, 0);
    expect(rows).toEqual(
      plain.map((row: { reason: string }, at: number) => ({
        ...row,
        id: expect.any(String),
        balance_after: sumFrom(at),
        ...(row.reason === 'receipt' ? { device_id: spender.deviceId } : {}),
      })),
    );
    expect(new Set(rows.map(({ id }: { id: string }) => id)).size).toBe(5);
    expect(await ledgerOf(spender, '?include=details&limit=2')).toEqual(rows.slice(0, 2));
  });
});

test('a member without history has what the plan gives, and an empty ledger', async () => {
  const key = await makePerson(ctx, idp, { plan: 'free' });
  const [period, lots] = [{ resets_at: null }, { credits: 0, lots: [] }];
  const periods = { window: { credits: 20, ...period }, monthly: { credits: 200, ...period } };
  const balance = { balances: { ...periods, paid: lots, granted: lots }, total: 220 };
  expect(await ask('/v1/balance', undefined, { key })).toEqual(balance);
  const page = { transactions: [], has_more: false, cursor: expect.any(String) };
  expect(await ask('/v1/ledger', undefined, { key })).toEqual(page);
});

test('a key that comes back after its 48 hours costs one credit in sum for each output that it was used for', async () => {
  const key = randomUUID();
  for (const output of ['a', 'b', 'b', 'a', 'c', 'b']) {
    await spend(spender.token, { key, body: { output_sha256: sha256(output) } });
    await projectAll(ctx);
    await forgetAnswers(ctx, spender.accountId);
  }
  expect((await balancesOf(spender)).window.credits).toBe(17);
});
