import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { makeAccount, projectAll, sha256 } from '../support/credits.ts';
import { checkCredits } from '../support/drills/checker.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { startLoad } from '../support/drills/load.ts';
import { OTHER_RELEASE, preloaded } from '../support/drills/preload.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { type Answer, call, callSurely, until } from '../support/harness.ts';
import { startIssuer, type TestIssuer } from '../support/idp.ts';
import { makePerson } from '../support/people.ts';
import { seeded } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeWebhook } from '../support/webhooks.ts';

const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const HOUR_MS = 3_600_000;
const PLANS = join(tmpdir(), `usage-governor-plans-${process.pid}.json`);

let stack: Stack;
let idp: TestIssuer;

beforeAll(async () => {
  const dry = { window_credits: 2, window_s: 3_600, monthly_credits: 3 };
  const rich = { ...dry, monthly_credits: 1_000_000 };
  writeFileSync(PLANS, JSON.stringify({ free: dry, team: rich, enterprise: rich }));
  idp = await startIssuer();
  stack = await startStack({ env: { ...idp.env, PLANS_FILE: PLANS } });
});
beforeEach(() => stack.mend());

afterAll(async () => {
  await stack?.stop();
  await idp.stop();
  rmSync(PLANS);
});

/** One more process of this stack, in a world of its own. */
async function startOther(
  entry: 'api/main.ts' | 'workers/main.ts',
  world: Record<string, string>,
): Promise<Child> {
  return startChild(entry, { ...stack.env, ...preloaded(world) });
}

function spend(url: string, token: string, key: string = randomUUID()): Promise<Answer> {
  return call(`${url}/v1/meter/consume`, {
    key: token,
    body: { output_sha256: sha256(key) },
    headers: { 'Idempotency-Key': key },
  });
}

const spendSurely = (url: string, token: string, key: string = randomUUID()) =>
  callSurely(() => spend(url, token, key));

test("an api's clock two hours ahead or behind moves no window, no month, no receipt and no expiry; sessions it refuses", async () => {
  const apis = await Promise.all(
    [2 * HOUR_MS, -2 * HOUR_MS].map((ms) => startOther('api/main.ts', { DRILL_CLOCK_SHIFT_MS: String(ms) })),
  );
  const { accountId, orgId, userId, token } = await makeAccount(stack.ctx);
  const key = randomUUID();
  const startedS = Math.floor(Date.now() / 1_000);
  const answers: Answer[] = [];
  for (let count = 0; count < 7; count += 1)
    answers.push(await spendSurely(apis[count % 2]?.url ?? '', token, count === 0 ? key : randomUUID()));
  const nowS = Math.ceil(Date.now() / 1_000);
  const spent = answers.slice(0, 5).map(({ body }) => body);
  expect(spent.map(({ bucket }) => bucket)).toEqual(['window', 'window', 'monthly', 'monthly', 'monthly']);
  for (const { receipt, created_at } of spent) {
    const { iat } = JSON.parse(Buffer.from(receipt.split('.')[1], 'base64url').toString());
    for (const time of [created_at, iat]) {
      expect(time).toBeGreaterThanOrEqual(startedS - 1);
      expect(time).toBeLessThanOrEqual(nowS);
    }
  }
  for (const { status, body } of answers.slice(5)) {
    expect(status).toBe(402);
    const resetsAt = body.balances.window.resets_at;
    expect(resetsAt - 3_600 - startedS).toBeGreaterThanOrEqual(-1);
    expect(resetsAt - 3_600).toBeLessThanOrEqual(nowS);
  }
  for (const { url } of apis) expect((await spendSurely(url, token, key)).text).toBe(answers[0]?.text);
  await projectAll(stack.ctx);
  const rows = await ledgerRows(stack.ctx).find({ account_id: accountId }).toArray();
  expect(rows.map(({ reason }) => reason).sort()).toEqual([
    'monthly.reset',
    ...Array(5).fill('receipt'),
    'window.reset',
  ]);
  // Ahead, an hour from now is over; behind, an hour ago is still to come.
  const grants = await Promise.all(
    [nowS + 3_600, nowS - 3_600].map((expires_at, index) =>
      call(`${apis[index]?.url}/admin/credits`, {
        key: stack.ctx.config.operatorToken,
        headers: { 'Idempotency-Key': randomUUID() },
        body: { org_id: orgId, user_id: userId, bucket: 'granted', amount: 1, expires_at },
      }),
    ),
  );
  expect(grants.map(({ status }) => status)).toEqual([201, 400]);
  const ada = await makePerson(stack.ctx, idp);
  const session = await Promise.all(
    [stack.url, ...apis.map(({ url }) => url)].map((url) => call(`${url}/v1/balance`, { key: ada.session })),
  );
  expect(session.map(({ status }) => status)).toEqual([200, 401, 401]);
  await Promise.all(apis.map((api) => api.kill()));
});

test('a worker whose clock is two hours ahead or behind ends no session and sends nothing; the right one does', async () => {
  const receiver = await startReceiver();
  const { orgId, key } = await makeTenant(stack.ctx);
  await makeWebhook(stack.ctx, orgId, receiver.url, ['session.started', 'session.ended']);
  await stack.kill('worker');
  const report = async (user_id: string) => {
    const signal = makeSignal({ ts: Date.now(), user_id });
    expect((await call(`${stack.url}/api/v1/signals`, { key, body: signal })).status).toBe(200);
  };
  await report('ada');
  const wrong = await Promise.all(
    [2 * HOUR_MS, -2 * HOUR_MS].map((ms) =>
      startOther('workers/main.ts', { DRILL_CLOCK_SHIFT_MS: String(ms) }),
    ),
  );
  const said = await Promise.all(wrong.map(({ url }) => call(`${url}/readyz`, {}, () => undefined)));
  expect(said.map(({ body }) => body.warnings)).toEqual([
    ['The clock of this process is 7200 s ahead of those of the stores.'],
    ['The clock of this process is 7200 s behind those of the stores.'],
  ]);
  expect(receiver.received).toEqual([]);
  await stack.start('worker');
  await until(() => receiver.received.length === 1, { what: 'the right worker' });
  await report('bob');
  await until(() => receiver.received.length === 2);
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['session.started', 'session.started']);
  expect(await sessionRows(stack.ctx).countDocuments({ org_id: orgId, state: 'open' })).toBe(2);
  await Promise.all(wrong.map((worker) => worker.kill()));
  await receiver.close();
});

test(`two releases with different scripts side by side under load agree on every credit (seed ${SEED})`, async () => {
  const accounts = await Promise.all(
    Array.from({ length: 4 }, () => makeAccount(stack.ctx, { plan: 'team' })),
  );
  const [api, worker] = await Promise.all([
    startOther('api/main.ts', { DRILL_OTHER_SCRIPTS: 'yes' }),
    startOther('workers/main.ts', { DRILL_OTHER_SCRIPTS: 'yes' }),
  ]);
  let turn = 0;
  const urls = [stack.url, api.url];
  const load = startLoad(() => urls[turn++ % 2] ?? '', accounts, { clients: 16, random: seeded(SEED) });
  await until(() => (load.statuses.get(200) ?? 0) >= 400);
  // The old ones go, as in a rolling release.
  urls[0] = api.url;
  stack.signal('worker', 'SIGSTOP');
  await until(() => (load.statuses.get(200) ?? 0) >= 600);
  await load.finish();
  stack.signal('worker', 'SIGCONT');
  expect(await stack.ctx.redis.producer.script('EXISTS', ...scriptShas())).toEqual([1, 1]);
  expect([...load.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
  await checkCredits(stack.ctx, stack.url, accounts, load.attempts);
  await Promise.all([api.kill(), worker.kill()]);
});

/** The hashes of the spend's script in both releases. */
function scriptShas(): string[] {
  const files = ['platform/redis/identity', 'core/credits/meter/prelude', 'core/credits/meter/consume'].map(
    (name) => readFileSync(new URL(`../../shared/${name}.lua`, import.meta.url), 'utf8'),
  );
  return [files, files.map((text) => text + OTHER_RELEASE)].map((texts) =>
    createHash('sha1').update(texts.join('\n')).digest('hex'),
  );
}

test('an api whose event loop stands still sheds spends with 503 and Retry-After, then goes on; none is half done', async () => {
  const api = await startOther('api/main.ts', { DRILL_BLOCK_MS: '2200' });
  const { accountId, token } = await makeAccount(stack.ctx, { plan: 'team' });
  const had = (await readBalances(stack.ctx, accountId)).total;
  const keys: string[] = [];
  const spendNext = () => {
    const key = randomUUID();
    keys.push(key);
    return spend(api.url, token, key);
  };
  await spendNext();
  api.process.kill('SIGUSR2');
  const shed = await until(
    async () => {
      const answer = await spendNext();
      return answer.body.code === 'overloaded' ? answer : null;
    },
    { what: 'a spend to be shed' },
  );
  expect([shed?.status, shed?.headers.get('retry-after')]).toEqual([503, '1']);
  api.process.kill('SIGUSR2');
  await until(async () => (await spendNext()).status === 200, { what: 'spends to go on' });
  // A repeat finds what was done, and does what was not.
  for (const key of keys) expect((await spendSurely(api.url, token, key)).status).toBe(200);
  expect((await readBalances(stack.ctx, accountId)).total).toBe(had - keys.length);
  await api.kill();
});
