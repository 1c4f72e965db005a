import { mongo } from 'mongoose';
import { describe, expect, test, vi } from 'vitest';
import { deviceGrantRows, deviceRows } from '../../shared/core/accounts/devices/model.ts';
import { revokeDevice } from '../../shared/core/accounts/devices/revoke-device.ts';
import { credentialHash } from '../../shared/core/accounts/keys/credential.ts';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { touchDevices } from '../../shared/core/credits/ledger/project-ledger.ts';
import { deviceTokenRows } from '../../shared/core/credits/model.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { DEVICE_CODE_LIFETIME_S } from '../../shared/platform/basics/contract.ts';
import { accountKeys } from '../../shared/platform/redis/keys.ts';
import { fixture } from '../support/fixture.ts';
import { openTestContext } from '../support/harness.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { approve, linkDevice, poll, revoke, startLink } from '../support/people.ts';

const f = await fixture({
  clock: true,
  env: { BASE_URL: 'https://governor.example/' },
  idp: true,
  admin: true,
  other: true,
  perTest: true,
});
const { clock, api } = f;

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

/** A code that the person of the test has approved. */
async function startApproved(): Promise<string> {
  const { device_code, user_code } = await startLink(api);
  await approve(api, f.admin, user_code);
  return device_code;
}
const list = async () => (await f.ask('/v1/devices', undefined, { key: f.admin })).devices;

/** Each transaction that reads a grant commits, and its answer is lost, so many times. */
function loseCommitsOfGrants(times: number): () => void {
  let left = times;
  let isArmed = false;
  const rows = deviceGrantRows(api.ctx);
  const original = Reflect.get(rows, 'findOne') as (...args: unknown[]) => unknown;
  const called = vi.spyOn(rows as unknown as Record<string, (...args: unknown[]) => unknown>, 'findOne');
  called.mockImplementation((...args) => {
    isArmed ||= (args[1] as { session?: unknown } | undefined)?.session !== undefined;
    return original.apply(rows, args);
  });
  const commit = Reflect.get(mongo.ClientSession.prototype, 'commitTransaction') as (
    this: mongo.ClientSession,
  ) => Promise<void>;
  const committed = vi.spyOn(mongo.ClientSession.prototype, 'commitTransaction');
  committed.mockImplementation(async function lose(this: mongo.ClientSession) {
    await commit.call(this);
    if (!isArmed || left === 0) return;
    isArmed = false;
    left -= 1;
    throw new mongo.MongoNetworkError('connection closed');
  });
  return () => {
    called.mockRestore();
    committed.mockRestore();
  };
}

const sendForm = (path: string, fields: Record<string, string>) =>
  api.call(path, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    body: String(new URLSearchParams(fields)),
  });

/** The devices that may spend, as the account's record in Redis has them. */
async function spendingDevices(accountId: string): Promise<string[]> {
  const fields = await api.ctx.redis.meter.hgetall(accountKeys(accountId).account);
  return Object.entries(fields)
    .filter(([field]) => field.startsWith('d:'))
    .map(([, value]) => String(value).split(',')[0] ?? '');
}

describe('GET /v1/devices', () => {
  test('lists the own devices, newest first, with the fields of the contract and never the key', async () => {
    const other = await f.person();
    const public_key = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) };
    const first = await linkDevice(api, f.admin, { name: 'Ada’s laptop', public_key });
    clock.advance(1_000);
    const second = await linkDevice(api, f.admin);
    await linkDevice(api, other);
    const { body, text } = await api.call('/v1/devices', { key: f.admin.session });
    const now = Math.floor(clock.now() / 1_000);
    const plain = { status: 'active', last_seen_at: null };
    expect(body.devices).toEqual([
      { ...plain, device_id: second.device_id, name: null, created_at: now },
      { ...plain, device_id: first.device_id, name: 'Ada’s laptop', created_at: now - 1 },
    ]);
    expect(text).not.toContain('AAAA');
  });

  test('shows when a device was last seen, moving forward only, at most once a minute', async () => {
    const { device_id } = await linkDevice(api, f.admin);
    const atMs = clock.now();
    const touch = (laterMs: number[], ctx = api.ctx) =>
      touchDevices(
        ctx,
        laterMs.map((ms) => ({ device_id, at_ms: atMs + ms })),
      );
    const seenAfterS = async () => (await list())[0].last_seen_at - Math.floor(atMs / 1_000);
    await touch([-5_000, 0]);
    expect(await seenAfterS()).toBe(0);
    await touch([59_999]);
    expect(await seenAfterS()).toBe(0);
    await touch([60_000]);
    const elsewhere = await openTestContext({ sharing: api.ctx });
    await touch([0], elsewhere);
    await elsewhere.close();
    expect(await seenAfterS()).toBe(60);
  });
});

describe('linking', () => {
  test('starts with the codes of RFC 8628, under the configured address', async () => {
    const { status, body, headers } = await api.call('/v1/device_authorization', {
      body: { name: 'x' },
      headers: { 'X-Forwarded-Host': 'evil.example' },
    });
    expect(status).toBe(200);
    expect(body.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: body.user_code,
      verification_uri: 'https://governor.example/activate',
      verification_uri_complete: `https://governor.example/activate?user_code=${body.user_code}`,
      expires_in: DEVICE_CODE_LIFETIME_S,
      interval: 5,
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('takes a form as a standard client sends it, and ignores what it does not know', async () => {
    const public_key = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) });
    const asked = { client_id: '', scope: 'openid', name: 'form', public_key };
    const started = await sendForm('/v1/device_authorization', asked);
    expect(started.status).toBe(200);
    expect((await approve(api, f.admin, started.body.user_code)).status).toBe(204);
    const { device_code } = started.body;
    const token = await sendForm('/v1/token', { client_id: 'cli', grant_type: GRANT_TYPE, device_code });
    const access_token = expect.any(String);
    const device_id = expect.stringMatching(/^dev_/);
    expect(token.body).toEqual({ access_token, token_type: 'Bearer', device_id });
    const cached = ['Cache-Control', 'Pragma'].map((name) => token.headers.get(name));
    expect(cached).toEqual(['no-store', 'no-cache']);
    const row = await deviceRows(api.ctx).findOne({ _id: token.body.device_id });
    expect(row?.public_key).toMatchObject({ kty: 'OKP' });
  });

  test('is pending until somebody approves, and asks a hasty device to slow down by 5 s each time, but for the token', async () => {
    const { device_code, user_code } = await startLink(api);
    const outcomes = [];
    for (const waitMs of [0, 4_999, 9_999, 14_999, 20_000, 19_999, 25_000]) {
      clock.advance(waitMs);
      const { status, body } = await poll(api, device_code);
      outcomes.push(`${status} ${body.error}`);
    }
    const [pending, slow] = ['400 authorization_pending', '400 slow_down'];
    expect(outcomes).toEqual([pending, slow, slow, slow, pending, slow, pending]);
    await approve(api, f.admin, user_code.toLowerCase().replace('-', ' '));
    expect((await poll(api, device_code)).status).toBe(200);
  });

  test('gives the token once, to one of ten who ask at once', async () => {
    const device_code = await startApproved();
    const answers = await Promise.all(Array.from({ length: 10 }, () => poll(api, device_code)));
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    for (const answer of answers) if (answer !== won) expect(answer.body.error).toBe('invalid_grant');
    const { device_id, access_token } = won?.body ?? {};
    expect(await spendingDevices(f.admin.accountId)).toEqual([device_id]);
    expect(await deviceRows(api.ctx).countDocuments({ account_id: f.admin.accountId })).toBe(1);
    const token_hmac = credentialHash(access_token, api.ctx.config.apiKeyPepper);
    const row = await deviceTokenRows(api.ctx).findOne({ _id: device_id });
    expect(row).toMatchObject({ account_id: f.admin.accountId, token_hmac });
    const record = await api.ctx.redis.meter.hgetall(accountKeys(f.admin.accountId).account);
    expect(record[`d:${row?.token_id}`]).toBe(`${device_id},${token_hmac}`);
    expect((await poll(api, device_code)).body.error).toBe('invalid_grant');
  });

  /** Ways for a poll to fail half-way, with its status then. Each begins it, and returns how it ends. */
  const FAILURES: [what: string, status: number, begin: () => Promise<() => unknown>][] = [
    [
      'its shard of credits moved',
      503,
      async () => {
        const { epoch } = accountKeys(f.admin.accountId);
        const open = (await api.ctx.redis.meter.getset(epoch, 'another run')) ?? '';
        return () => api.ctx.redis.meter.set(epoch, open);
      },
    ],
    ['the answer to its last write was lost', 503, async () => loseCommitsOfGrants(1)],
    ['the answers to its last two writes were lost', 504, async () => loseCommitsOfGrants(2)],
  ];
  test.each(FAILURES)('gives the token once, with the next poll, where %s', async (_, status, begin) => {
    const device_code = await startApproved();
    const end = await begin();
    const failed = await poll(api, device_code);
    await end();
    expect([failed.status, failed.body.error]).toEqual([status, 'temporarily_unavailable']);
    const answer = await poll(api, device_code);
    expect(answer.status).toBe(200);
    expect(await spendingDevices(f.admin.accountId)).toEqual([answer.body.device_id]);
    expect(await deviceRows(api.ctx).countDocuments({ account_id: f.admin.accountId })).toBe(1);
    expect((await poll(api, device_code)).body.error).toBe('invalid_grant');
  });

  test('takes a parameter of a form without a value as left out (RFC 8628 section 3.1)', async () => {
    const empty = { client_id: 'cli', name: '', public_key: '' };
    expect((await sendForm('/v1/device_authorization', empty)).status).toBe(200);
    const polled = await sendForm('/v1/token', { grant_type: GRANT_TYPE, device_code: '' });
    expect(polled.body).toEqual({ error: 'invalid_request', error_description: 'device_code is missing.' });
  });

  test('answers the errors of RFC 6749, whatever is wrong', async () => {
    const send = (body: unknown, type = 'application/json') =>
      api.call('/v1/token', { method: 'POST', body, headers: { 'Content-Type': type } });
    const begin = (body: object) => api.call('/v1/device_authorization', { body });
    const twice = 'grant_type=a&grant_type=b&device_code=c';
    for (const [answer, status, error] of [
      [await send('{"grant_type":'), 400, 'invalid_request'],
      [await send('<x/>', 'application/xml'), 415, 'invalid_request'],
      [await send({ grant_type: 'password' }), 400, 'unsupported_grant_type'],
      [await send({ grant_type: GRANT_TYPE }), 400, 'invalid_request'],
      [await send(twice, 'application/x-www-form-urlencoded'), 400, 'invalid_request'],
      [await poll(api, 'never-issued'), 400, 'invalid_grant'],
      [await begin({ name: { $ne: null } }), 400, 'invalid_request'],
      [await begin({ public_key: { kty: 'OKP', crv: 'Ed25519', x: 'A', d: 'A' } }), 400, 'invalid_request'],
    ] as const) {
      const { headers, body } = answer;
      expect([answer.status, body.error]).toEqual([status, error]);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(Object.keys(body).toSorted()).toEqual(['error', 'error_description']);
      expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    }
  });
});

describe('POST /v1/devices/revoke', () => {
  test('revokes for Redis, for the list and in the audit log', async () => {
    const { device_id } = await linkDevice(api, f.admin);
    const { status, body } = await revoke(api, f.admin, device_id);
    expect([status, body]).toEqual([200, { revoked: true }]);
    expect(await spendingDevices(f.admin.accountId)).toEqual([]);
    expect(await list()).toMatchObject([{ device_id, status: 'revoked' }]);
    const rows = (await f.audited(/^device/)).filter(({ details }) => details.device_id === device_id);
    const actions = rows.map(({ action }) => action);
    expect(actions.toSorted()).toEqual(['device.approve', 'device.link', 'device.revoke']);
  });

  test.each([[undefined], [{ $ne: null }], [null], [''], ['x'.repeat(129)], ['dev_\n'], ['\0'], ['\x7f']])(
    'refuses a device_id that is %j',
    async (device_id) => {
      const { status, headers } = await revoke(api, f.admin, device_id);
      expect(status).toBe(400);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    },
  );

  test.each([
    ['beside another member', 'application/json'],
    ['without a type', undefined],
    ['as text', 'text/plain'],
    ['as a form', 'application/x-www-form-urlencoded'],
  ])('takes a device_id %s', async (_what, type) => {
    const { device_id } = await linkDevice(api, f.admin);
    // Bytes, so that fetch adds no type of its own.
    const answer = await fetch(`${api.url}/v1/devices/revoke`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${f.admin.session}`,
        ...(type === undefined ? {} : { 'Content-Type': type }),
      },
      body: Buffer.from(JSON.stringify({ device_id, account_id: 'usr_x' })),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { revoked: true }]);
    expect(await spendingDevices(f.admin.accountId)).toEqual([]);
  });

  test('bites also in a Redis that was rebuilt from the rows before they said so', async () => {
    const { device_id } = await linkDevice(api, f.admin);
    const rebuild = async () => {
      const { account, epoch } = accountKeys(f.admin.accountId);
      await api.ctx.redis.producer.del(account, epoch);
      await recoverCredits(api.ctx);
      expect(await spendingDevices(f.admin.accountId)).toEqual([device_id]);
    };
    // Redis has ended the device by its second read, and the row does not say so yet.
    const rebuilding = standingStillAfter(api.ctx, deviceRows, rebuild, 2);
    expect.assertions(2);
    await revokeDevice(rebuilding, f.admin.accountId, device_id);
    expect(await spendingDevices(f.admin.accountId)).toEqual([]);
  });
});

describe('the person whom a device asks for an answer', () => {
  const ask = (what: 'lookup' | 'deny' | 'approve', user_code: string, at = api) =>
    f.send(`/v1/device_authorization/${what}`, { user_code }, { key: f.admin, at });

  test('sees what the device calls itself and when it asked, by a look-up that changes nothing', async () => {
    const codes = await startLink(api, { name: 'Laptop' });
    const { status, body } = await ask('lookup', codes.user_code.toLowerCase());
    expect([status, body]).toEqual([200, { name: 'Laptop', created_at: Math.floor(clock.now() / 1_000) }]);
    expect((await approve(api, f.admin, codes.user_code)).status).toBe(204);
    expect((await ask('lookup', codes.user_code)).body.code).toBe('invalid_grant');
  });

  test('denies it: it is told so with its next poll, and nobody can approve it any more', async () => {
    const codes = await startLink(api);
    expect((await ask('deny', codes.user_code)).status).toBe(204);
    expect((await poll(api, codes.device_code)).body.error).toBe('access_denied');
    const late = [await approve(api, f.admin, codes.user_code), await ask('deny', codes.user_code)];
    expect(late.map(({ body }) => body.code)).toEqual(['invalid_grant', 'invalid_grant']);
  });

  test('has five wrong codes together, of looking up, denying and approving', async () => {
    // By another process, since each counts them for itself.
    const { user_code } = await startLink(f.other);
    for (const what of ['lookup', 'deny', 'lookup', 'deny', 'approve'] as const)
      expect((await ask(what, 'BBBB-BBBB', f.other)).status).toBe(400);
    expect((await ask('lookup', user_code, f.other)).status).toBe(429);
  });
});

test('a removed member has no device that spends, also none that was being linked', async () => {
  const { device_id } = await linkDevice(api, f.admin);
  const underWay = await startApproved();
  await removeMember(api.ctx, f.admin.orgId, f.admin.userId);
  expect((await deviceRows(api.ctx).findOne({ _id: device_id }))?.status).toBe('revoked');
  const late = await poll(api, underWay);
  expect([late.status, late.body.error]).toEqual([400, 'access_denied']);
  expect(await spendingDevices(f.admin.accountId)).toEqual([]);
});

test('a person who left may come back, as another account without the old devices', async () => {
  await linkDevice(api, f.admin);
  await removeMember(api.ctx, f.admin.orgId, f.admin.userId);
  await removeMember(api.ctx, f.admin.orgId, f.admin.userId);
  const back = { org_id: f.orgId, email: 'back@example.org', role: 'member' } as const;
  await addMember(api.ctx, { ...back, idp: { iss: f.idp.issuer, sub: f.admin.sub } });
  expect(await list()).toEqual([]);
});
