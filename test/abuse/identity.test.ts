import { randomUUID } from 'node:crypto';
import { generateKeyPair } from 'jose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { deviceRows } from '../../shared/core/accounts/devices/model.ts';
import { revokeDevice } from '../../shared/core/accounts/devices/revoke-device.ts';
import { newCredentialId } from '../../shared/core/accounts/keys/credential.ts';
import { WRONG_USER_CODES } from '../../shared/platform/basics/contract.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { accountKeys } from '../../shared/platform/redis/keys.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, openTestContext, startApi, type TestApi } from '../support/harness.ts';
import { startIssuer } from '../support/idp.ts';
import { linkDevice, makePerson, type Person, poll, revoke, startLink } from '../support/people.ts';

const { idp, clock, api, send } = await fixture({ clock: true, idp: true });
let ada: Person;
beforeAll(async () => {
  ada = await makePerson(api.ctx, idp);
});

/** Enters a user code, with a session of now. */
const enter = (key: Person, user_code: string, more: { at?: TestApi } = {}) =>
  send('/v1/device_authorization/approve', { user_code }, { key, ...more });
/** All codes of devices expire; so do sessions, of which one person gets another. */
async function passCodes(): Promise<void> {
  clock.advance(900_000);
  ada.session = await idp.mint(ada.sub, { nowMs: clock.now() });
}

/** Everything of an answer that a caller can see, but for the time of day. */
const visible = ({ status, headers, text }: Answer) =>
  JSON.stringify([status, [...headers].filter(([name]) => name !== 'date'), text]);

const SAME_ID = { 'X-Request-Id': 'the-same-request-id' };

test('33, 38, 44–57 every credential that is not a session gets the same 401, byte for byte', async () => {
  const { key } = await makeTenant(api.ctx);
  const { access_token } = await linkDevice(api, ada);
  const stranger = await generateKeyPair('ES256');
  const noMember = await idp.mint('nobody', { nowMs: clock.now() });
  const elsewhere = await idp.mint(ada.sub, { nowMs: clock.now(), claims: { iss: 'https://other.example' } });
  const wrong: (string | undefined)[] = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${ada.session}`,
    `Bearer ${key}`,
    `Bearer ${access_token}`,
    `Bearer ${api.ctx.config.operatorToken}`,
    `Bearer ${'x'.repeat(10_000)}`,
    `Bearer ${noMember}`,
    `Bearer ${elsewhere}`,
    `Bearer ${ada.session}x`,
    `Bearer ${ada.session} ${ada.session}`,
    `Bearer ${await idp.mint(ada.sub, { nowMs: clock.now(), key: stranger.privateKey })}`,
    `Bearer ${await idp.mint(ada.sub, { nowMs: clock.now(), claims: { exp: undefined } })}`,
    `Bearer ${await idp.mint(ada.sub, { nowMs: clock.now() - 3_600_000 })}`,
    `Bearer ${await idp.mint(ada.sub, { nowMs: clock.now(), header: { typ: 'JWT' } })}`,
  ];
  const seen = new Set<string>();
  for (const authorization of wrong) {
    const headers = { ...SAME_ID, ...(authorization === undefined ? {} : { Authorization: authorization }) };
    seen.add(visible(await api.call('/v1/devices', { headers })));
  }
  expect([...seen]).toEqual([expect.stringMatching(/^\[401,.*"www-authenticate","Bearer"\]/)]);
});

test('33 the scheme is read without regard to case', async () => {
  const answer = await api.call('/v1/devices', { headers: { Authorization: `bEaReR ${ada.session}` } });
  expect(answer.status).toBe(200);
});

test('54 the same subject of another issuer is another person', async () => {
  const otherIdp = await startIssuer();
  const other = await startApi({ clock, env: otherIdp.env });
  const session = await otherIdp.mint(ada.sub, { nowMs: clock.now() });
  expect((await other.call('/v1/devices', { key: session })).status).toBe(401);
  const namesake = await makePerson(other.ctx, otherIdp);
  expect((await other.call('/v1/devices', { key: namesake.session })).body.devices).toEqual([]);
  await other.close();
  await otherIdp.stop();
});

test('55 an issuer that never answered is a 503 that says when to try again', async () => {
  const down = await startIssuer();
  const cold = await startApi({ clock, env: down.env });
  await down.stop();
  const answer = await cold.call('/v1/devices', { key: await down.mint('ada', { nowMs: clock.now() }) });
  expect([answer.status, answer.body.code]).toEqual([503, 'issuer_unavailable']);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await cold.call('/v1/devices', { key: 'garbage' })).status).toBe(401);
  await cold.close();
});

test('16, 57 a token of 10 kB is a 401, a header over 16 KiB a 431', async () => {
  for (const [length, status] of [
    [10_000, 401],
    [12_500, 431],
  ] as const) {
    const claims = { roles: 'x'.repeat(length) };
    const key = await idp.mint(ada.sub, { nowMs: clock.now(), claims });
    expect((await api.call('/v1/devices', { key })).status).toBe(status);
  }
});

describe('58 user codes are not to be guessed', () => {
  const wrongCode = 'BBBB-BBBB';

  test('five wrong ones of an account are a 429, also for the right one, until the codes have expired', async () => {
    const guessing = { at: await startApi({ ctx: api.ctx }) };
    const person = await makePerson(api.ctx, idp);
    for (let count = 0; count < WRONG_USER_CODES; count += 1)
      expect((await enter(person, wrongCode, guessing)).body).toMatchObject({
        status: 400,
        code: 'invalid_grant',
      });
    const { user_code } = await startLink(guessing.at);
    const refused = await enter(person, user_code, guessing);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    // Another person at the same address.
    expect((await enter(ada, user_code, guessing)).status).toBe(429);
    await passCodes();
    const fresh = await startLink(guessing.at);
    expect((await enter(person, fresh.user_code, guessing)).status).toBe(204);
    await guessing.at.close();
  });

  test('right ones do not count, nor the same one pressed again', async () => {
    const person = await makePerson(api.ctx, idp);
    for (let count = 0; count < WRONG_USER_CODES + 2; count += 1) {
      const { user_code } = await startLink(api);
      expect((await enter(person, user_code)).status).toBe(204);
      expect((await enter(person, user_code)).status).toBe(400);
    }
  });
});

describe('60 a code serves once', () => {
  test('of two people who enter it at the same time, one wins', async () => {
    const people = [await makePerson(api.ctx, idp), await makePerson(api.ctx, idp)];
    const { user_code, device_code } = await startLink(api);
    const answers = await Promise.all(people.map((person) => enter(person, user_code)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 400]));
    const winner = people[answers.findIndex(({ status }) => status === 204)];
    const { body } = await poll(api, device_code);
    expect((await deviceRows(api.ctx).findOne({ _id: body.device_id }))?.account_id).toBe(winner?.accountId);
    await passCodes();
  });

  test('it is spent by the approval, and dead when its time is over', async () => {
    const person = await makePerson(api.ctx, idp);
    const used = await startLink(api);
    expect((await enter(person, used.user_code)).status).toBe(204);
    expect((await enter(person, used.user_code)).body.code).toBe('invalid_grant');
    const late = await startLink(api);
    await passCodes();
    expect((await enter(person, late.user_code)).body.code).toBe('expired_token');
    expect((await poll(api, late.device_code)).body.error).toBe('expired_token');
    // Approved in time, fetched too late.
    expect((await poll(api, used.device_code)).body.error).toBe('expired_token');
  });
});

test('61 an approval serves only the device that showed the code', async () => {
  const person = await makePerson(api.ctx, idp);
  const [approved, other] = [await startLink(api), await startLink(api)];
  await enter(person, approved.user_code);
  expect((await poll(api, other.device_code)).body.error).toBe('authorization_pending');
  for (const guess of [approved.user_code, approved.user_code.replace('-', ''), `${approved.device_code}x`])
    expect((await poll(api, guess)).body.error).toBe('invalid_grant');
  expect((await poll(api, approved.device_code)).status).toBe(200);
});

describe('62 what is not the own device does not exist', () => {
  const odd = [
    'dev_0000000000000000000000',
    newCredentialId(),
    'null',
    'true',
    '[object Object]',
    '{"$ne":null}',
    '../../devices',
    'dev_%00',
    "' OR 1=1 --",
    ' ',
    'é'.repeat(128),
    '😀'.repeat(128),
    '\ud800',
    'x'.repeat(128),
    '__proto__',
    'DEV_',
  ];

  test('the same 404 bytes and headers for a foreign, a removed, a random and any odd id', async () => {
    const stranger = await makePerson(api.ctx, idp);
    const foreign = await linkDevice(api, stranger);
    const dead = await linkDevice(api, stranger);
    await revoke(api, stranger, dead.device_id);
    const seen = new Set<string>();
    for (const device_id of [foreign.device_id, dead.device_id, foreign.device_id.toLowerCase(), ...odd])
      seen.add(visible(await send('/v1/devices/revoke', { device_id }, { key: ada, headers: SAME_ID })));
    expect([...seen]).toEqual([expect.stringMatching(/^\[404,/)]);
    expect((await deviceRows(api.ctx).findOne({ _id: foreign.device_id }))?.status).toBe('active');
  });

  test('a colleague in the same organization is a stranger too', async () => {
    const colleague = await makePerson(api.ctx, idp, { orgId: ada.orgId, role: 'admin' });
    const { device_id } = await linkDevice(api, ada);
    expect((await revoke(api, colleague, device_id)).status).toBe(404);
    expect((await api.call('/v1/devices', { key: colleague.session })).body.devices).toEqual([]);
  });

  test('the same work, one query by an index and nothing in Redis, whatever the id was: no clock tells them apart', async () => {
    const foreign = await linkDevice(api, await makePerson(api.ctx, idp));
    const { db, redis } = api.ctx;
    // This process sends others by itself.
    const ofAda = (command: object) => JSON.stringify(command).includes(ada.accountId);
    const sent: string[] = [];
    const client = db.connection.getClient();
    const note = ({ commandName, command }: { commandName: string; command: { filter?: object } }) => {
      if (ofAda(command)) sent.push(`${commandName} ${Object.keys(command.filter ?? {}).join()}`);
    };
    client.on('commandStarted', note);
    const spies = [redis.meter, redis.producer].map((each) => vi.spyOn(each, 'sendCommand'));
    for (const id of [foreign.device_id, ...odd])
      await expect(revokeDevice(api.ctx, ada.accountId, id)).rejects.toMatchObject({ code: 'not_found' });
    client.off('commandStarted', note);
    const inRedis = spies.flatMap(({ mock }) => mock.calls.map(([command]) => command.args));
    for (const spy of spies) spy.mockRestore();
    expect(sent).toEqual(Array(odd.length + 1).fill('find account_id,device_id'));
    expect(inRedis.filter(ofAda)).toEqual([]);
    const index = { key: { account_id: 1, device_id: 1 }, unique: true };
    expect(await deviceRows(api.ctx).indexes()).toContainEqual(expect.objectContaining(index));
  });
});

test('63 names and keys of devices may be the same in two accounts and in one', async () => {
  const other = await makePerson(api.ctx, idp);
  const body = { name: 'laptop', public_key: { kty: 'OKP', crv: 'Ed25519', x: 'B'.repeat(43) } };
  const ids = new Set<string>();
  for (const person of [ada, ada, other]) ids.add((await linkDevice(api, person, body)).device_id);
  expect(ids.size).toBe(3);
});

test('65 revoking twice, and ten times at once, is the same 200', async () => {
  const { device_id } = await linkDevice(api, ada);
  const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(api, ada, device_id)));
  answers.push(await revoke(api, ada, device_id));
  const seen = new Set(answers.map(({ status, text }) => `${status} ${text}`));
  expect([...seen]).toEqual(['200 {"revoked":true}']);
  const entry = { action: 'device.revoke', 'details.device_id': device_id };
  expect(await auditRows(api.ctx).countDocuments(entry)).toBe(1);
});

/** One credit, or why not. */
async function spend(on: TestApi, token: string, key: string = randomUUID()): Promise<Answer> {
  const headers = { 'Idempotency-Key': key };
  return on.call('/v1/meter/consume', { key: token, headers, body: { output_sha256: 'a'.repeat(64) } });
}

async function creditKeysDigest(accountId: string): Promise<unknown> {
  const { account, stream } = accountKeys(accountId);
  return api.ctx.redis.meter.call('DEBUG', 'DIGEST-VALUE', account, stream);
}

test('66 a revoked device spends nothing more: not from another process, not by a key that was answered, and nothing is written', async () => {
  const { device_id, access_token } = await linkDevice(api, ada);
  const other = await startApi({ ctx: await openTestContext({ clock, sharing: api.ctx }) });
  await waitUntilReady(other.ctx.redis.meter, 5_000);
  const key = randomUUID();
  expect((await spend(other, access_token, key)).status).toBe(200);
  expect((await revoke(api, ada, device_id)).status).toBe(200);
  const before = await creditKeysDigest(ada.accountId);
  for (const process of [other, api])
    for (const again of [key, randomUUID()]) {
      const refused = await spend(process, access_token, again);
      expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized']);
    }
  expect(await creditKeysDigest(ada.accountId)).toEqual(before);
  await other.close();
  await other.ctx.close();
});

test('67 a token on two machines spends one balance, and the operator sees two addresses', async () => {
  const proxied = await startApi({ clock, env: { ...idp.env, TRUST_PROXY_HOPS: '1' } });
  await waitUntilReady(proxied.ctx.redis.meter, 5_000);
  const person = await makePerson(proxied.ctx, idp);
  const { access_token, device_id } = await linkDevice(proxied, person);
  const warned = vi.spyOn(proxied.ctx.log, 'warn');
  const left: number[] = [];
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.1']) {
    const headers = { 'Idempotency-Key': randomUUID(), 'X-Forwarded-For': address };
    const body = { output_sha256: 'b'.repeat(64) };
    const answer = await proxied.call('/v1/meter/consume', { key: access_token, headers, body });
    left.push(answer.body.balance.window);
  }
  expect(left.map((credits) => (left[0] ?? 0) - credits)).toEqual([0, 1, 2, 3]);
  const metrics = await proxied.ctx.metrics.registry.metrics();
  expect(metrics).toContain('governor_device_address_changes_total 2');
  const addresses = ['192.0.2.1', '192.0.2.2'];
  expect(warned.mock.calls[0]?.[0]).toMatchObject({ device_id, addresses });
  await proxied.close();
});

describe('69 an account has twenty active devices', () => {
  test('the next one is refused at its approval with 409, and accepted once another is revoked', async () => {
    const person = await makePerson(api.ctx, idp);
    const linked = [];
    for (let count = 0; count < 20; count += 1) linked.push(await linkDevice(api, person));
    const { user_code, device_code } = await startLink(api);
    const refused = await enter(person, user_code);
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_devices']);
    expect((await poll(api, device_code)).body.error).toBe('authorization_pending');
    await revoke(api, person, linked[7]?.device_id);
    expect((await enter(person, user_code)).status).toBe(204);
    expect((await poll(api, device_code)).status).toBe(200);
    const { body } = await api.call('/v1/devices', { key: person.session });
    expect(body.devices).toHaveLength(21);
  });

  test('also when thirty were approved before and ask for their tokens at once', async () => {
    const person = await makePerson(api.ctx, idp);
    const codes = await Promise.all(Array.from({ length: 30 }, () => startLink(api)));
    await Promise.all(codes.map(({ user_code }) => enter(person, user_code)));
    const answers = await Promise.all(codes.map(({ device_code }) => poll(api, device_code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    for (const { status, body } of answers) if (status !== 200) expect(body.error).toBe('access_denied');
    const devices = await deviceRows(api.ctx).find({ account_id: person.accountId }).toArray();
    expect(devices.filter((device) => device.status === 'active')).toHaveLength(20);
  });
});
