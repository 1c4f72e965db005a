import { expect, it } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { darkenNext } from '../support/drills/darken.ts';
import { startOwnMongo } from '../support/drills/own-mongo.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import { startIssuer, type TestIssuer } from '../support/idp.ts';
import { beginBrowserSession, makePerson } from '../support/people.ts';

/** How long one organization may notice that another one's connection has gone dark, and its own callers wait. */
const GOES_ON_WITHIN_MS = 20_000;
const ANSWERS_WITHIN_MS = 30_000;

interface World extends AsyncDisposable {
  idp: TestIssuer;
  proxy: NetProxy;
  api: TestApi;
}

/** An api with a MongoDB of its own behind a proxy: each drill waits for timeouts, so they wait side by side. */
async function startWorld(): Promise<World> {
  const own = await startOwnMongo();
  const proxy = await startProxy(Number(new URL(own.url).port));
  const idp = await startIssuer();
  const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const api = await startApi({ mongoUrl, env: idp.env });
  const stop = async () => {
    proxy.reset();
    await api.close();
    await idp.stop();
    await proxy.close();
    await own.stop();
  };
  return { idp, proxy, api, [Symbol.asyncDispose]: stop };
}

async function post(api: TestApi, key: string, signal: Record<string, unknown>) {
  const startedMs = performance.now();
  const { status, body } = await api.call('/api/v1/signals', { key, body: signal });
  return { status, result: body.results?.[0]?.status, tookMs: performance.now() - startedMs };
}
const newSignal = (api: TestApi) => makeSignal({ ts: api.ctx.clock.now() });

it.concurrent.each([
  ['its key is looked up', 'api_keys'],
  ['its batch reads', 'session_heads'],
  ['its batch writes', 'bulkWrite'],
  ['its batch is committed', 'commitTransaction'],
])(
  'a connection that goes dark while %s holds up no other organization, and its own callers have an answer',
  async (_step, letters) => {
    await using world = await startWorld();
    const { proxy, api } = world;
    const [first, second] = [await makeTenant(api.ctx), await makeTenant(api.ctx)];
    for (const { key } of [first, second]) await post(api, key, newSignal(api));
    const isDark = darkenNext(proxy, letters);
    const doomed = newSignal(api);
    const answers = [post(api, first.key, doomed)];
    await isDark;
    answers.push(post(api, first.key, newSignal(api)));
    const other = await post(api, second.key, newSignal(api));
    expect(other).toMatchObject({ status: 200, result: 'accepted' });
    expect(other.tookMs).toBeLessThan(GOES_ON_WITHIN_MS);
    for (const answer of await Promise.all(answers)) {
      expect([200, 503, 504]).toContain(answer.status);
      expect(answer.tookMs).toBeLessThan(ANSWERS_WITHIN_MS);
    }
    // A request that was given up is not kept, so the repeat is accepted, once.
    expect(await post(api, first.key, doomed)).toMatchObject({ status: 200, result: 'accepted' });
    expect(await post(api, first.key, doomed)).toMatchObject({ status: 200, result: 'duplicate' });
    expect(await signalRows(api.ctx).countDocuments({ org_id: first.orgId, id: String(doomed.id) })).toBe(1);
  },
);

it.concurrent.each([
  ['a person who calls is looked up', 'idp.sub'],
  ['a read is carried out', 'devices'],
])('a connection that goes dark while %s leaves nobody without an answer', async (_step, letters) => {
  await using world = await startWorld();
  const { idp, proxy, api } = world;
  const person = await makePerson(api.ctx, idp);
  const read = () => api.call('/v1/devices', { key: person.session });
  expect((await read()).status).toBe(200);
  const isDark = darkenNext(proxy, letters);
  const startedMs = performance.now();
  const answer = read();
  await isDark;
  expect((await read()).status).toBe(200);
  const { status, body } = await answer;
  expect([status, body.code]).toEqual([503, 'store_unavailable']);
  expect(performance.now() - startedMs).toBeLessThan(ANSWERS_WITHIN_MS);
});

it.concurrent.each([
  ['/dashboard/v1/devices', 'members'],
  ['/dashboard/session', 'organizations'],
])('the dashboard has an answer to %s while a connection is dark that reads %s', async (path, letters) => {
  await using world = await startWorld();
  const { idp, proxy, api } = world;
  const { accountId, sub } = await makePerson(api.ctx, idp);
  const identity = { iss: idp.issuer, sub };
  const { cookie } = await beginBrowserSession(api.ctx, { accountId, identity });
  const read = () => api.call(path, { headers: { Cookie: cookie } });
  expect((await read()).status).toBe(200);
  const isDark = darkenNext(proxy, letters);
  const answer = read();
  await isDark;
  expect((await read()).status).toBe(200);
  const { status, body } = await answer;
  expect([status, body.code]).toEqual([503, 'store_unavailable']);
});

it.concurrent('signals whose commit was answered to nobody are 504, and the repeat finds them', async ({
  expect,
}) => {
  await using world = await startWorld();
  const { proxy, api } = world;
  const { orgId, key } = await makeTenant(api.ctx);
  await post(api, key, newSignal(api));
  const lost = newSignal(api);
  proxy.onRequest = (chunk) => {
    if (chunk.includes('commitTransaction')) proxy.mode = 'drop-replies';
    return true;
  };
  const answer = api.call('/api/v1/signals', { key, body: lost });
  const { status, body, text } = await answer;
  expect([status, body.code]).toEqual([504, 'outcome_unknown']);
  expect(text).not.toContain('nothing was written');
  proxy.onRequest = () => true;
  proxy.mode = 'pass';
  proxy.reset();
  await expect.poll(() => post(api, key, lost)).toMatchObject({ result: 'duplicate' });
  expect(await signalRows(api.ctx).countDocuments({ org_id: orgId, id: String(lost.id) })).toBe(1);
});

it.concurrent('a budget whose commit was answered to nobody is 504, and the repeat with its Idempotency-Key names it', async ({
  expect,
}) => {
  await using world = await startWorld();
  const { proxy, api } = world;
  const { key } = await makeTenant(api.ctx);
  const budget = { name: 'B', scope: 'org', metric: 'tokens', window: 'daily', threshold: 5 };
  const create = () =>
    api.call('/api/v1/budgets', { key, body: budget, headers: { 'Idempotency-Key': 'lost' } });
  proxy.onRequest = (chunk) => {
    if (chunk.includes('commitTransaction')) proxy.mode = 'drop-replies';
    return true;
  };
  const lost = await create();
  expect([lost.status, lost.body.code]).toEqual([504, 'outcome_unknown']);
  proxy.onRequest = () => true;
  proxy.mode = 'pass';
  proxy.reset();
  await expect.poll(async () => (await create()).status).toBe(201);
  const { body } = await api.call('/api/v1/budgets', { key });
  expect(body.data).toHaveLength(1);
  expect((await create()).body.id).toBe(body.data[0].id);
});
