import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keyDigest } from '../../shared/core/credits/meter/idempotency.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { verifyReceipts } from '../../shared/core/credits/receipts/verify-receipts.ts';
import {
  makeAccount,
  sha256,
  shardsWithEntries,
  stateDigest,
  type TestAccount,
  untilOpen,
} from '../support/credits.ts';
import { checkCredits } from '../support/drills/checker.ts';
import { startChild } from '../support/drills/child.ts';
import { makeRichAccounts, startLoad } from '../support/drills/load.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import {
  type Answer,
  type CallOptions,
  call,
  callSurely,
  TEST_SIGNING_KEY,
  until,
} from '../support/harness.ts';
import { startIssuer, type TestIssuer } from '../support/idp.ts';
import { linkDevice, makePerson, revoke } from '../support/people.ts';
import { seeded } from '../support/random.ts';

const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const ROTATIONS = Math.min(25, Number(process.env.DRILL_ROUNDS ?? 3));
/** Seconds: of an api that is stopped, of a Redis that is away. */
const [STOPPED_S, OUTAGES_S] = process.env.DRILL_ROUNDS ? [10, [15, 60]] : [2, [6]];

let stack: Stack;
let idp: TestIssuer;
/** Between the api and Redis. */
let proxy: NetProxy;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'usage-governor-pauses-'));
  writeFileSync(keyFile(), TEST_SIGNING_KEY);
  idp = await startIssuer();
  stack = await startStack({
    env: { ...idp.env, SIGNING_KEY: '', SIGNING_KEY_FILE: keyFile() },
    redisUrl: async (url) => {
      proxy = await startProxy(Number(new URL(url).port));
      return `redis://127.0.0.1:${proxy.port}`;
    },
  });
});
beforeEach(async () => {
  proxy.onRequest = () => true;
  proxy.mode = 'pass';
  await stack.mend();
});

afterAll(async () => {
  await stack?.stop();
  await Promise.all([proxy?.close(), idp?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function keyFile(): string {
  return join(folder, 'key.json');
}

const api = {
  call: (path: string, options?: CallOptions): Promise<Answer> => call(stack.url + path, options),
};

function spend(token: string, key: string = randomUUID(), signal?: AbortSignal): Promise<Answer> {
  return api.call('/v1/meter/consume', {
    key: token,
    body: { output_sha256: sha256(key) },
    headers: { 'Idempotency-Key': key },
    ...(signal ? { signal } : {}),
  });
}

const spendSurely = (token: string, key: string = randomUUID()) => callSurely(() => spend(token, key));

function load(accounts: readonly TestAccount[]) {
  return startLoad(() => stack.url, accounts, { clients: 16, random: seeded(SEED) });
}

/** The load goes on for this many more spends. */
async function moreSpends(running: ReturnType<typeof load>, count: number): Promise<void> {
  const before = running.statuses.get(200) ?? 0;
  await until(() => (running.statuses.get(200) ?? 0) >= before + count);
}

async function ledgerIsCaughtUp(): Promise<void> {
  const isEmpty = async () => (await shardsWithEntries(stack.ctx)).length === 0;
  await until(isEmpty, { what: 'an empty stream' });
}

describe('an api', () => {
  test('that is new takes requests from when on it can spend credits', async () => {
    const account = await makeAccount(stack.ctx);
    proxy.delayMs = 150;
    proxy.mode = 'latency';
    const fresh = await startChild('api/main.ts', stack.env);
    const { status } = await call(`${fresh.url}/v1/meter/consume`, {
      key: account.token,
      body: { output_sha256: sha256('new') },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    proxy.mode = 'pass';
    await fresh.kill();
    // On a busy machine the deadline of a spend may pass on the slow way; then it was sent all the same.
    expect([200, 504]).toContain(status);
  });

  test(`that gets SIGTERM answers what it has accepted and exits 0 (seed ${SEED})`, async () => {
    const accounts = await makeRichAccounts(stack.ctx, 4);
    const running = load(accounts);
    await moreSpends(running, 50);
    const idle = await makeAccount(stack.ctx);
    await spendSurely(idle.token);
    const ended = once(stack.process('api'), 'exit');
    const accepted = await acceptedSpends(idle, 16);
    const startedMs = performance.now();
    stack.signal('api', 'SIGTERM');
    const statuses = (await Promise.all(accepted)).map(({ status }) => status);
    // The deadline of a spend may pass on the slow way, which is an answer too.
    expect(statuses.filter((status) => ![200, 504].includes(status))).toEqual([]);
    expect(await ended).toEqual([0, null]);
    // The load's connections are busy all the time: without being told to close they would hold it for its whole patience, 23 s.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    proxy.mode = 'pass';
    await stack.start('api');
    await until(() => stack.isReady());
    await running.finish();
    await checkCredits(stack.ctx, stack.url, accounts, running.attempts);
  });

  test(`that stops (SIGSTOP) until clients give up and goes on makes no double spend (seed ${SEED})`, async () => {
    const accounts = await makeRichAccounts(stack.ctx, 4);
    const running = load(accounts);
    await moreSpends(running, 50);
    const before = running.statuses.get(0) ?? 0;
    stack.signal('api', 'SIGSTOP');
    await until(() => (running.statuses.get(0) ?? 0) > before, { what: 'a client to give up' });
    stack.signal('api', 'SIGCONT');
    await moreSpends(running, 50);
    await running.finish();
    await checkCredits(stack.ctx, stack.url, accounts, running.attempts);
  });

  test(`that stops for ${STOPPED_S} s carries out nothing of which the client has given up, when it goes on`, async () => {
    const account = await makeAccount(stack.ctx);
    const keys = Array.from({ length: 16 }, () => randomUUID());
    await Promise.all(keys.map(() => spendSurely(account.token)));
    await ledgerIsCaughtUp();
    const before = await stateDigest(stack.ctx);
    stack.signal('api', 'SIGSTOP');
    const signal = AbortSignal.timeout(STOPPED_S * 500);
    const given = await Promise.allSettled(keys.map((key) => spend(account.token, key, signal)));
    expect(new Set(given.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await new Promise((resolve) => setTimeout(resolve, STOPPED_S * 500));
    stack.signal('api', 'SIGCONT');
    // It has read all that waited for it.
    for (let count = 0; count < 3; count += 1) await api.call('/healthz');
    expect((await stateDigest(stack.ctx)) === before, 'nothing was written').toBe(true);
    expect((await spendSurely(account.token, keys[0])).headers.get('Idempotent-Replayed')).toBeNull();
  });

  test('that is killed when Redis has spent and before it was told has spent once, and a repeat gets the answer', async () => {
    const account = await makeAccount(stack.ctx);
    await spendSurely(account.token);
    const keys = Array.from({ length: 16 }, () => randomUUID());
    const accepted = Promise.allSettled(await acceptedSpends(account, keys.length, keys));
    proxy.mode = 'drop-replies';
    const spent = async () => (await readBalances(stack.ctx, account.accountId)).balances.window.credits;
    // On a busy machine the deadlines of some may have passed on the slow way.
    await until(async () => (await spent()) < 20 - 1, { what: 'Redis to have spent' });
    await stack.kill('api');
    expect(new Set((await accepted).map(({ status }) => status))).toEqual(new Set(['rejected']));
    proxy.mode = 'pass';
    await stack.start('api');
    await until(() => stack.isReady());
    const done = 20 - 1 - (await spent());
    let replayed = 0;
    for (const key of keys) {
      const { status, headers } = await spendSurely(account.token, key);
      expect(status).toBe(200);
      if (headers.get('Idempotent-Replayed') === 'true') replayed += 1;
    }
    expect(replayed).toBeGreaterThanOrEqual(done);
    expect(await spent()).toBe(20 - 1 - keys.length);
  });
});

test.each(OUTAGES_S)(
  'after a Redis that was away for %i s a new job runs, and credits are spent',

  async (seconds) => {
    // Shards other than its account's may still be paused by the outage before.
    await untilOpen(stack.ctx);
    const account = await makeAccount(stack.ctx);
    await stack.kill('redis');
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    await stack.start('redis');
    const queue = stack.ctx.queues.of('end-session');
    const added = () => queue.add('drill', { key: 'of nobody' }).catch(() => null);
    const job = await until(added, { what: 'a job to be taken' });
    await until(async () => (await job?.getState()) === 'completed', { what: 'the job' });
    await until(async () => (await spend(account.token)).status === 200);
  },
);

/** Spends of which Redis has seen every one, and whose answers are still on their way. */
async function acceptedSpends(
  { accountId, token }: TestAccount,
  count: number,
  keys = Array.from({ length: count }, () => randomUUID()),
): Promise<Promise<Answer>[]> {
  let seen = '';
  proxy.onRequest = (chunk) => {
    seen += chunk.toString('latin1');
    return true;
  };
  proxy.delayMs = 150;
  proxy.mode = 'latency';
  const answers = keys.map((key) => spend(token, key));
  await until(() => keys.every((key) => seen.includes(keyDigest(accountId, 'consume', key))));
  proxy.onRequest = () => true;
  return answers;
}

test(`a worker that stops (SIGSTOP) is replaced by another, and changes nothing when it goes on (seed ${SEED})`, async () => {
  const accounts = await makeRichAccounts(stack.ctx, 4);
  const running = load(accounts);
  await moreSpends(running, 50);
  stack.signal('worker', 'SIGSTOP');
  await moreSpends(running, 50);
  const second = await startChild('workers/main.ts', stack.env);
  await moreSpends(running, 50);
  await running.finish();
  await ledgerIsCaughtUp();
  stack.signal('worker', 'SIGCONT');
  await until(async () => (await spend(accounts[0]?.token ?? '')).status === 200);
  await second.kill();
  await ledgerIsCaughtUp();
  await checkCredits(stack.ctx, stack.url, accounts.slice(1), running.attempts);
});

test('a device revoked in one api process spends in no other, from the 200 on', async () => {
  const ada = await makePerson(stack.ctx, idp);
  const { device_id, access_token } = await linkDevice(api, ada);
  const other = await startChild('api/main.ts', stack.env);
  let isRevoked = false;
  const before: number[] = [];
  const after: number[] = [];
  const spendThere = async () => {
    while (after.length < 100) {
      const seen = isRevoked ? after : before;
      const key = randomUUID();
      const answer = await call(`${other.url}/v1/meter/consume`, {
        key: access_token,
        body: { output_sha256: sha256(key) },
        headers: { 'Idempotency-Key': key },
      });
      seen.push(answer.status);
    }
  };
  const spending = Promise.all(Array.from({ length: 16 }, spendThere));
  await until(() => before.includes(200));
  expect((await revoke(api, ada, device_id)).status).toBe(200);
  isRevoked = true;
  await spending;
  // A busy api sheds some, and the deadline of a spend may pass: neither is a spend.
  expect(after.filter((status) => ![401, 503, 504].includes(status))).toEqual([]);
  expect(after).toContain(401);
  await other.kill();
});

describe('without MongoDB', () => {
  test.each([
    ['is gone (kill -9)', () => stack.kill('mongo'), () => stack.start('mongo')],
    [
      'hangs (SIGSTOP)',
      async () => stack.signal('mongo', 'SIGSTOP'),
      async () => stack.signal('mongo', 'SIGCONT'),
    ],
  ])(
    `that %s credits are spent, reads and revocations are 503, and the ledger catches up (seed ${SEED})`,

    async (_how, lose, restore) => {
      const accounts = await makeRichAccounts(stack.ctx, 4);
      const ada = await makePerson(stack.ctx, idp);
      const { device_id, access_token } = await linkDevice(api, ada);
      const running = load(accounts);
      await moreSpends(running, 20);
      await lose();
      const [ledger, revocation] = await Promise.all([
        api.call('/v1/ledger', { key: ada.session }),
        revoke(api, ada, device_id),
      ]);
      expect([ledger.status, revocation.status]).toEqual([503, 503]);
      await moreSpends(running, 50);
      await restore();
      await until(async () => (await revoke(api, ada, device_id)).status === 200);
      expect((await spendSurely(access_token)).status).toBe(401);
      await running.finish();
      expect([...running.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual(
        [],
      );
      await ledgerIsCaughtUp();
      await checkCredits(stack.ctx, stack.url, accounts, running.attempts);
    },
  );
});

test(`a key that is rotated ${ROTATIONS} times under load refuses nobody, and every receipt stays good (seed ${SEED})`, {
  timeout: 300_000 + ROTATIONS * 120_000,
}, async () => {
  const accounts = await makeRichAccounts(stack.ctx, 4);
  const running = load(accounts);
  const kids = new Set<string>();
  for (let round = 0; round < ROTATIONS; round += 1) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['scripts/governor.ts', '--json', 'signing-key', 'rotate', '--file', keyFile()],
      { env: { ...stack.env, PATH: process.env.PATH ?? '' } },
    );
    const { kid } = JSON.parse(stdout) as { kid: string };
    stack.signal('api', 'SIGHUP');
    await until(async () => kidOf((await spendSurely(accounts[0]?.token ?? '')).body.receipt) === kid);
    kids.add(kid);
    await moreSpends(running, 20);
  }
  await running.finish();
  const receipts = running.attempts.map(({ answer }) => answer ?? '');
  const checked = await verifyReceipts(receipts, (await api.call('/.well-known/jwks.json')).body);
  expect(checked).toEqual({ good: running.attempts.length, bad: [] });
  expect(kids.size).toBe(ROTATIONS);
  expect([...running.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
});

function kidOf(receipt: string): string {
  return JSON.parse(Buffer.from(receipt.split('.')[0] ?? '', 'base64url').toString()).kid;
}
