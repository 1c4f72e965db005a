import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { makeAccount, projectAll, sha256, spendOnce } from '../support/credits.ts';
import { fixture } from '../support/fixture.ts';
import {
  type Answer,
  openKeptLog,
  startApi,
  TEST_SIGNING_KEY,
  type TestApi,
  until,
} from '../support/harness.ts';
import { linkDevice, makePerson } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { snapshot } from '../support/rows.ts';

const NOON = '2028-01-31T12:00:00Z';
const { ctx, api, clock, idp } = await fixture({ clock: NOON, idp: true, redis: true });

function spend(token: string, options: { key?: string; body?: unknown; on?: TestApi } = {}): Promise<Answer> {
  const { key = randomUUID(), body = { output_sha256: sha256('output') }, on = api } = options;
  return on.call('/v1/meter/consume', { key: token, body, headers: { 'Idempotency-Key': key } });
}

test('29 spends whose callers leave in the middle count once, and a repeat finds each', async () => {
  const { token, accountId } = await makeAccount(ctx);
  const keys = Array.from({ length: 20 }, () => randomUUID());
  const before = await totalOf(accountId);
  for (const key of keys) await spendAndLeave(token, key);
  await until(async () => (await totalOf(accountId)) === before - 20, { what: 'spends without a caller' });
  const repeats = await Promise.all(keys.map((key) => spend(token, { key })));
  expect(repeats.map(({ status }) => status)).toEqual(keys.map(() => 200));
  expect(repeats.every(({ headers }) => headers.get('idempotent-replayed') === 'true')).toBe(true);
  expect(await totalOf(accountId)).toBe(before - 20);
});

/** All credits of an account. */
const totalOf = async (accountId: string) => (await readBalances(ctx, accountId)).total;

/** Sends a spend whole and hangs up when the server has begun with it. */
async function spendAndLeave(token: string, key: string): Promise<void> {
  const begun = once(api.server, 'request');
  const headers = {
    Authorization: `Bearer ${token}`,
    'Idempotency-Key': key,
    'Content-Type': 'application/json',
  };
  const leaving = request(`${api.url}/v1/meter/consume`, { method: 'POST', headers, agent: false });
  leaving.on('error', () => undefined);
  leaving.end(JSON.stringify({ output_sha256: sha256('output') }));
  await begun;
  leaving.destroy();
}

test('42 no log line, no row and no key of Redis holds a device token, a session, an idempotency key or the signing key', async () => {
  const { log, written } = openKeptLog();
  const logged = await startApi({ ctx: { ...ctx, log } });
  const person = await makePerson(ctx, idp);
  const { access_token, device_id } = await linkDevice(logged, person);
  const key = `key-that-is-told-to-nobody-${randomUUID()}`;
  await spend(access_token, { key, on: logged });
  await spend(access_token, { key, on: logged, body: { output_sha256: sha256('another') } });
  await spend(`${access_token.slice(0, -1)}x`, { key, on: logged });
  await logged.call(`/v1/meter/consume?access_token=${access_token}`, { body: {}, key: person.session });
  await logged.call(`/v1/ledger?token=${person.session}`, { key: person.session });
  await logged.call('/v1/devices/revoke', { key: person.session, body: { device_id } });
  await spend(access_token, { key, on: logged });
  log.info({ token: access_token, nested: { authorization: person.session } }, 'redaction');
  await projectAll(ctx);
  await logged.close();
  expect(written()).toContain('"msg":"request"');
  const stored = [...(await snapshot(ctx))].join();
  expect(stored).toContain(device_id);
  for (const secret of [access_token, person.session, key, JSON.parse(TEST_SIGNING_KEY).d]) {
    expect(written()).not.toContain(secret);
    expect(stored).not.toContain(secret);
  }
});

test("64 a key that another user's device has used is this one's own", async () => {
  const key = randomUUID();
  for (const output of ['output', 'another']) {
    const { token } = await makeAccount(ctx);
    const { status, headers, body } = await spend(token, { key, body: { output_sha256: sha256(output) } });
    expect([status, headers.get('Idempotent-Replayed'), body.balance.window]).toEqual([200, null, 19]);
  }
});

describe('74 an Idempotency-Key', () => {
  /** As a careless client sends it. */
  async function spendRaw(token: string, headers: string): Promise<string> {
    const body = JSON.stringify({ output_sha256: sha256('output') });
    return sendRaw(
      api.url,
      `POST /v1/meter/consume HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n${headers}Connection: close\r\n\r\n${body}`,
    );
  }

  test.each([
    ['that is empty', 'Idempotency-Key: \r\n'],
    ['that is sent twice', 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n'],
    ['with a tab in it', 'Idempotency-Key: a\tb\r\n'],
    ['of other than ASCII', 'Idempotency-Key: k\u00e9y\r\n'],
  ])('%s is 400', async (_what, headers) => {
    const { token, accountId } = await makeAccount(ctx);
    const answer = await spendRaw(token, headers);
    expect(answer).toMatch(/^HTTP\/1.1 400/);
    expect(answer).toContain('invalid_request');
    expect(await totalOf(accountId)).toBe(220);
  });

  test('70 of one character, and of 128 of the strangest that it may hold, gets the same bytes as often as it comes', async () => {
    const { token } = await makeAccount(ctx);
    for (const key of ['!', `{"$ne":null}\\'"<script>%00${'~'.repeat(101)}`]) {
      const first = await spend(token, { key });
      for (let count = 0; count < 3; count += 1) {
        const again = await spend(token, { key });
        expect([again.status, again.text]).toEqual([200, first.text]);
        expect(again.headers.get('Idempotent-Replayed')).toBe('true');
        expect(again.headers.get('Idempotency-Expires')).toBe(first.headers.get('Idempotency-Expires'));
      }
    }
  });
});

describe('78 a month begins on the day and at the time of the account, in its timezone', () => {
  test.each([
    [
      'Europe/Berlin',
      '2028-01-31T12:00:00Z',
      // 29 February; then summer time; April has 30 days.
      ['2028-02-29T12:00:00Z', '2028-03-31T11:00:00Z', '2028-04-30T11:00:00Z', '2028-05-31T11:00:00Z'],
    ],
    [
      'America/New_York',
      '2027-10-31T03:30:00Z',
      // 30 October 23:30 there; winter time begins; February 2028 has 29 days.
      ['2027-12-01T04:30:00Z', '2027-12-31T04:30:00Z', '2028-01-31T04:30:00Z', '2028-03-01T04:30:00Z'],
    ],
  ])('%s, from %s on', async (timezone, start, turns) => {
    clock.set(Date.parse(start));
    const { accountId, token } = await makeAccount(ctx, { timezone });
    for (const turn of turns) {
      await spendOnce(ctx, token);
      expect((await readBalances(ctx, accountId)).balances.monthly.resets_at).toBe(Date.parse(turn) / 1_000);
      clock.set(Date.parse(turn) - 1);
      await spendOnce(ctx, token);
      clock.set(Date.parse(turn));
    }
    await projectAll(ctx);
    const rows = await ledgerRows(ctx).find({ account_id: accountId, reason: 'monthly.reset' }).toArray();
    expect(rows).toHaveLength(turns.length);
    clock.set(Date.parse(NOON));
  });
});
