import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createBadCredentials } from '../../api/serve/bad-credentials.ts';
import { revokeApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { mintCredential, mintDeviceToken } from '../../shared/core/accounts/keys/credential.ts';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { sha256 } from '../support/credits.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { startApi, type TestApi, until } from '../support/harness.ts';
import { beginBrowserSession, linkDevice, makePerson } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { openHalfSent, sendFrom } from '../support/senders.ts';

const ATTACKER = '127.0.0.9';
const VICTIM = '127.0.0.2';

const { idp, api, key } = await fixture({
  env: { RATE_LIMITS: 'on', BAD_CREDENTIALS_PER_MINUTE: '10' },
  idp: true,
});
let session: string;
let device: string;
let accountId: string;
let identity: { iss: string; sub: string };

beforeAll(async () => {
  const person = await makePerson(api.ctx, idp, { role: 'admin' });
  ({ session, accountId } = person);
  identity = { iss: idp.issuer, sub: person.sub };
  device = (await linkDevice(api, person)).access_token;
});

/** A read by this credential, from this address. */
const get = (path: string, token: string, address = VICTIM) =>
  sendFrom(address, api.url + path, { headers: { Authorization: `Bearer ${token}` } });
const read = async (token: string, address: string) => (await get('/api/v1/sessions', token, address)).status;

const post = (path: string, body: unknown, headers: Record<string, string> = {}, address = VICTIM) =>
  sendFrom(address, api.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const spend = (token: string, address = VICTIM) => {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
  return post('/v1/meter/consume', { output_sha256: sha256('x') }, headers, address);
};

/** The statuses that callers of every kind get, each with a credential of its own. */
async function everybodyElse(): Promise<number[]> {
  const answers = await Promise.all([
    get('/api/v1/sessions', key),
    get('/api/v1/webhooks', key),
    get('/v1/balance', session),
    get('/v1/devices', session),
    post('/v1/token', { grant_type: 'x', device_code: 'y' }),
    spend(device),
    sendFrom(VICTIM, `${api.url}/readyz`),
  ]);
  return answers.map(({ status }) => status);
}
const UNHARMED = [200, 200, 200, 200, 400, 200, 200];

/** A key that nobody has. */
const guess = () => mintCredential('ugk').token;

const halfOf = (path: string, authorization = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;

describe('half-sent requests', () => {
  it.each([
    ['505 of them wait without a credential', 505, () => halfOf('/v1/token')],
    [
      '4,005 of them wait with forged device tokens',
      4_005,
      () => halfOf('/v1/meter/consume', `Authorization: Bearer ${mintDeviceToken(newId('usr')).token}\r\n`),
    ],
  ])(
    'harm nobody when %s',
    async (_which, count, half) => {
      const waiting = await openHalfSent(ATTACKER, api.url, count, half);
      expect(await everybodyElse()).toEqual(UNHARMED);
      waiting.close();
    },
    60_000,
  );

  it('of one address are 64 at most, and nobody else waits for them', async () => {
    const waiting = await openHalfSent(ATTACKER, api.url, 64, () => halfOf('/v1/token'));
    const one = (address: string) => post('/v1/token', { grant_type: 'x' }, {}, address);
    await expect.poll(async () => (await one(ATTACKER)).text).toContain('sent at once');
    expect((await one(VICTIM)).status).toBe(400);
    waiting.close();
    await expect.poll(async () => (await one(ATTACKER)).status).toBe(400);
  });

  const PAD = ' '.repeat(15 * 1_048_576 - 1);
  // One more than fit: a request beside them may keep one of them out.
  it.each([
    ['that they have sent', 9, '/otlp/v1/logs', PAD.length + 1, PAD, { resourceLogs: [], pad: PAD }],
    ['that they announce', 17, '/hooks/claude-code', 8_388_608, '{', { hook_event_name: 'Stop' }],
  ])(
    'of one organization count with the bytes %s, and nobody else waits for them',
    async (_which, count, path, length, sent, body) => {
      const { key: greedy } = await makeTenant(api.ctx);
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedy}\r\nContent-Type: application/json\r\n`;
      const bytes = `${head}Content-Length: ${length}\r\n\r\n${sent}`;
      const waiting = await openHalfSent(ATTACKER, api.url, count, () => bytes);
      const one = async (token: string) =>
        (await post(path, body, { Authorization: `Bearer ${token}` })).status;
      await expect.poll(() => one(greedy)).toBe(429);
      expect(await one(key)).toBe(200);
      waiting.close();
      await expect.poll(() => one(greedy)).toBe(200);
    },
  );

  it('end after 3 seconds when nobody is proven, with a problem and a closed connection', async () => {
    const startedAt = performance.now();
    const answer = await sendRaw(api.url, halfOf('/v1/token'), 30_000);
    expect(answer).toMatch(/^HTTP\/1.1 408.*\r\nConnection: close\r\n/s);
    // Whoever is proven has 15 seconds.
    expect(performance.now() - startedAt).toBeLessThan(14_000);
  });
});

describe('callers that are not proven', () => {
  it('send small bodies only', async () => {
    const pad = 'x'.repeat(20_000);
    expect((await post('/v1/token', { grant_type: pad })).status).toBe(413);
    expect((await post('/v1/device_authorization', { name: pad })).status).toBe(413);
    const headers = { Authorization: `Bearer ${device}`, 'Idempotency-Key': 'x' };
    expect((await post('/v1/meter/consume', { pad: pad.slice(0, 5_000) }, headers)).status).toBe(413);
  });

  it('begin at most 100 device grants in 15 minutes from one address', async () => {
    const begin = async (address: string) => (await post('/v1/device_authorization', {}, {}, address)).status;
    const statuses: number[] = [];
    for (let index = 0; index < 105; index += 1) statuses.push(await begin('127.0.0.7'));
    expect(statuses).toEqual([...Array(100).fill(200), ...Array(5).fill(429)]);
    expect(await begin('127.0.0.8')).toBe(200);
  });
});

/** The statuses of ten requests one after the other, and of 70 at once: few are let through per second, however slow the machine. */
async function tenAndThenMany(send: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < 10; index += 1) statuses.push(await send());
  return [...statuses, ...(await Promise.all(Array.from({ length: 70 }, send)))];
}

describe('wrong credentials', () => {
  const revoked = async (address: string) => {
    const made = await makeTenant(api.ctx);
    expect(await read(made.key, address)).toBe(200);
    await revokeApiKey(api.ctx, made.keyId);
    return () => made.key;
  };
  it.each([
    ['once their address has sent too many, but a few per second', '127.0.0.11', async () => guess, 10],
    ['either when they were valid before', '127.0.0.14', revoked, 0],
  ])('cost no look-up %s', async (_when, address, begin, least) => {
    const token = await begin(address);
    const find = vi.spyOn(apiKeyRows(api.ctx), 'find');
    const statuses = await tenAndThenMany(() => read(token(), address));
    const lookups = find.mock.calls.length;
    find.mockRestore();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(70).fill(429)]);
    expect(lookups).toBeGreaterThanOrEqual(least);
    expect(lookups).toBeLessThanOrEqual(40);
    expect(Number((await get('/api/v1/sessions', token(), address)).headers['retry-after'])).toBeGreaterThan(
      0,
    );
  });

  it('never refuse a valid credential of the same address that was seen before', async () => {
    const address = '127.0.0.12';
    expect(await read(key, address)).toBe(200);
    for (let index = 0; index < 40; index += 1) {
      await read(guess(), address);
      if (index > 20) expect(await read(key, address)).toBe(200);
    }
  });

  it('that one machine repeats keep nobody else of its address out', async () => {
    const address = '127.0.0.15';
    const token = guess();
    await tenAndThenMany(() => read(token, address));
    expect(await read(token, address)).toBe(429);
    for (let newcomer = 0; newcomer < 3; newcomer += 1)
      expect(await read((await makeTenant(api.ctx)).key, address)).toBe(200);
  });

  it('are no sessions that have ended: pages that still show them keep asking', async () => {
    const address = '127.0.0.16';
    const statuses = new Set<number>();
    for (let index = 0; index < 15; index += 1)
      statuses.add((await sendFrom(address, `${api.url}/dashboard/api/v1/budgets`)).status);
    expect(statuses).toEqual(new Set([401]));
  });

  it('are not taken for valid ones because a session of a browser came along with them', async () => {
    const { cookie } = await beginBrowserSession(api.ctx, { accountId, identity });
    const { isKnown } = createBadCredentials(api.ctx);
    const isKnownAfter = async (path: string, token: string, headers = {}) => {
      const authorization = `Bearer ${token}`;
      const { status } = await sendFrom(VICTIM, api.url + path, { headers: { authorization, ...headers } });
      return [status, isKnown({ headers: { authorization } })];
    };
    expect(await isKnownAfter('/dashboard/v1/devices', guess(), { cookie })).toEqual([200, false]);
    expect(await isKnownAfter('/api/v1/sessions', key)).toEqual([200, true]);
  });

  it('of device tokens reach Redis no more once there were too many, and the real one still spends', async () => {
    const address = '127.0.0.13';
    expect((await spend(device, address)).status).toBe(200);
    const statuses: number[] = [];
    for (let index = 0; index < 30; index += 1)
      statuses.push((await spend(mintDeviceToken(accountId).token, address)).status);
    expect(new Set(statuses.slice(0, 10))).toEqual(new Set([401]));
    expect(statuses.at(-1)).toBe(429);
    expect((await spend(device, address)).status).toBe(200);
  });

  it.each([
    '/dashboard/',
    '/dashboard/any.js',
    '/dashboard/api/v1/sessions',
    '/dashboard/session',
    '/activate',
  ])('count for their address at %s, which needs no credential to be asked', async (path) => {
    const small = await startApi({ env: { RATE_LIMITS: 'on', RATE_LIMIT_PER_ADDRESS: '3' } });
    const one = async () => (await fetch(small.url + path, { redirect: 'manual' })).status;
    // A slow machine spreads them over more than the time of one limit; then it sends them again.
    await until(async () => (await Promise.all(Array.from({ length: 8 }, one))).includes(429));
    await small.close();
  });

  it('are counted by /64 of IPv6 and by address of IPv4, which callers cannot choose', async () => {
    const env = { RATE_LIMITS: 'on', BAD_CREDENTIALS_PER_MINUTE: '5' };
    const behind = await startApi({ env: { ...env, TRUST_PROXY_HOPS: '1' } });
    const wrong = async (on: TestApi, from: string) =>
      (await on.call('/api/v1/sessions', { key: 'wrong', headers: { 'X-Forwarded-For': from } })).status;
    for (let host = 1; host <= 5; host += 1) expect(await wrong(behind, `2001:db8:1:2::${host}`)).toBe(401);
    // As some proxies write it, each time with another port.
    for (let port = 1; port <= 5; port += 1) expect(await wrong(behind, `192.0.2.1:${port}`)).toBe(401);
    for (const [from, status] of [
      ['2001:db8:1:2:ffff::9', 429],
      ['[2001:db8:1:2::1]:5', 429],
      ['2001:db8:1:3::1', 401],
      ['[2001:db8:1:4::1]:5', 401],
      ['192.0.2.1', 429],
      ['192.0.2.1:6', 429],
      ['192.0.2.2:5', 401],
    ] as const)
      expect([from, await wrong(behind, from)]).toEqual([from, status]);
    await behind.close();
    const direct = await startApi({ env });
    for (let host = 1; host <= 5; host += 1) expect(await wrong(direct, `192.0.2.${host}`)).toBe(401);
    expect(await wrong(direct, '192.0.2.99')).toBe(429);
    await direct.close();
  });
});
