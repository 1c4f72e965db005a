import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';

const f = await fixture();
const { api } = f;

const gate = (headers: Record<string, string> = {}, { as = f.key }: { as?: string } = {}) =>
  f.send('/gate', undefined, { key: as, headers });
const HARD = { scope: 'user', metric: 'cost_usd', window: 'monthly', enforce: 'hard' };
const makeBudget = (user: string, threshold = 1) =>
  f.ask('/api/v1/budgets', { ...HARD, name: `of ${user}`, scope_id: user, threshold });
const reservedIn = async (id: string) => (await f.ask(`/api/v1/budgets/${id}`)).reserved;

describe('the gate', () => {
  test('reserves what the headers say and names the reservation, which a signal settles', async () => {
    const { id } = await makeBudget('ada');
    const answer = await gate({ 'X-Governor-User': 'ada', 'X-Governor-Estimate-Usd': '0.25' });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const reservation_id = answer.headers.get('x-governor-reservation');
    expect(reservation_id).toMatch(/^res_/);
    await until(async () => (await reservedIn(id)) === 0.25);
    await f.spend({ user_id: 'ada', cost_usd: 0.1, reservation_id });
    await until(async () => (await reservedIn(id)) === 0);
  });

  test('refuses with the budget and the time to wait, in a status that clients do not retry', async () => {
    const { id } = await makeBudget('spent', 0.1);
    const { body, headers } = await gate({ 'X-Governor-User': 'spent', 'X-Governor-Estimate-Usd': '0.2' });
    const refused_by = { id, cause: 'spent' };
    expect(body).toMatchObject({ status: 403, code: 'budget_refused', refused_by });
    expect(headers.get('x-governor-refused-by')).toBe(id);
    const waitS = (Date.parse(body.retry_at) - Date.now()) / 1_000;
    expect(Math.abs(Number(headers.get('retry-after')) - waitS)).toBeLessThan(5);
  });

  test('says of a repeat of a request id that it is one', async () => {
    await makeBudget('repeats');
    const ask = () => gate({ 'X-Governor-User': 'repeats', 'X-Governor-Request-Id': 'req-1' });
    const answers = [await ask(), await ask()];
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  });

  test('needs the user of a call that a hard template may count for its user', async () => {
    const own = await f.tenant();
    const ask = (headers: Record<string, string>, as = own.key) => gate(headers, { as });
    const each = { ...HARD, name: 'Each', scope: 'org', per: 'user', threshold: 1, window: 'daily' };
    const template = async (fields: object) =>
      (await f.ask('/api/v1/budgets', { ...each, ...fields }, { key: own.key })).id;
    const usd = { 'X-Governor-Estimate-Usd': '2' };
    expect((await ask(usd)).status).toBe(200);
    await template({ enforce: 'soft' });
    expect((await ask(usd)).status).toBe(200);
    const id = await template({ enforce: 'hard', filter: { models: ['gpt-*'] } });
    const body = { code: 'invalid_request', errors: [{ parameter: 'X-Governor-User' }] };
    for (const named of [{}, { 'X-Governor-User': '' }, { 'X-Governor-Model': 'gpt-5' }])
      expect(await ask({ ...usd, ...named })).toMatchObject({ status: 400, body });
    expect((await ask({ ...usd, 'X-Governor-Model': 'claude-sonnet-4-5' })).status).toBe(200);
    expect((await ask({ ...usd, 'X-Governor-User': 'ada' })).body).toMatchObject({ refused_by: { id } });
    const bound = await own.keyOf('ada', ['budgets:check']);
    expect((await ask(usd, bound)).body).toMatchObject({ code: 'budget_refused' });
    await f.remove(`/api/v1/budgets/${id}`, { key: own.key });
    expect((await ask(usd)).status).toBe(200);
  });

  test('takes any method and any path below, and reads no body', async () => {
    const headers = { Authorization: `Bearer ${f.key}`, 'Content-Type': 'text/plain' };
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(`${api.url}/gate/v1/messages?beta=true`, { method, headers });
      expect(answer.status, method).toBe(200);
    }
    const sent = httpRequest(`${api.url}/gate/v1`, { method: 'POST', headers });
    sent.end('x'.repeat(200_000));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
  });

  test("takes the key from a header of its own, before the model provider's Authorization", async () => {
    const headers = { 'X-Governor-Key': f.key };
    expect((await gate(headers, { as: 'sk-of-the-model-provider' })).status).toBe(200);
    expect((await gate({ 'X-Governor-Key': 'ugk_wrong' })).status).toBe(401);
  });

  test('prices tokens by the list, and without a price counts the default', async () => {
    const { id } = await makeBudget('priced');
    const of = { 'X-Governor-User': 'priced' };
    const model = { 'X-Governor-Model': 'gpt-4o-mini', 'X-Governor-Provider': 'openai' };
    const tokens = { 'X-Governor-Tokens-In': '1000000', 'X-Governor-Tokens-Out': '100000' };
    await gate({ ...of, ...model, ...tokens });
    await until(async () => (await reservedIn(id)) === 0.21);
    await gate({ ...of, 'X-Governor-Model': 'nobody-knows', 'X-Governor-Tokens-In': '1000' });
    await until(async () => (await reservedIn(id)) === 0.26);
    await gate(of);
    await until(async () => (await reservedIn(id)) === 0.31);
  });

  test('a free call passes a budget that is spent, and holds nothing', async () => {
    const { id } = await makeBudget('free', 0.01);
    const of = { 'X-Governor-User': 'free' };
    expect((await gate({ ...of, 'X-Governor-Estimate-Usd': '1' })).status).toBe(403);
    expect((await gate({ ...of, 'X-Governor-Estimate-Usd': '0' })).status).toBe(200);
    expect(await reservedIn(id)).toBe(0);
  });

  test('a bound key asks for its own user only', async () => {
    const as = await f.keyOf('ada', ['budgets:check']);
    expect((await gate({ 'X-Governor-User': 'ada' }, { as })).status).toBe(200);
    expect((await gate({ 'X-Governor-User': 'bob' }, { as })).body.code).toBe('missing_scope');
  });

  test.each([
    ['X-Governor-Estimate-Usd', '1e3'],
    ['X-Governor-Estimate-Usd', '-1'],
    ['X-Governor-Tokens-In', '1.5'],
    ['X-Governor-Ttl-S', '0'],
    ['X-Governor-Ttl-S', '3601'],
  ])('refuses %s: %s by its name', async (parameter, value) => {
    const refused = { status: 400, errors: [{ parameter }] };
    expect((await gate({ [parameter]: value })).body).toMatchObject(refused);
  });

  test('refuses two estimates', async () => {
    const both = { 'X-Governor-Estimate-Usd': '1', 'X-Governor-Tokens-In': '5' };
    expect((await gate(both)).status).toBe(400);
  });

  test('answers 503 while Redis does not answer, so that one setting of the proxy decides', async () => {
    await makeBudget('silent');
    const call = { 'X-Governor-User': 'silent', 'X-Governor-Estimate-Usd': '0.1' };
    await until(async () => (await gate(call)).status === 200);
    const silent = vi.spyOn(api.ctx.redis.meter, 'evalsha').mockRejectedValue(new Error('Command timed out'));
    const answer = await gate(call);
    silent.mockRestore();
    expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
  });
});

describe('a reservation by tokens', () => {
  const reserve = (body: object) => f.send('/api/v1/budgets/reserve', { ttl_s: 60, ...body });

  test('holds the list price of the model', async () => {
    const { id } = await makeBudget('tokens');
    const call = { user_id: 'tokens', model: 'gpt-4o-mini', provider: 'openai' };
    const made = await reserve({ ...call, tokens_in: 2_000_000, tokens_out: 0 });
    expect(made.body).toMatchObject({ allow: true });
    await until(async () => (await reservedIn(id)) === 0.3);
  });

  test.each([
    ['nothing', {}],
    ['tokens of a model without a price', { model: 'nobody-knows', tokens_in: 5 }],
    ['both ways', { model: 'gpt-4o-mini', tokens_in: 5, estimate_usd: 1 }],
  ])('is refused with %s', async (_title, body) => {
    expect((await reserve(body)).body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('a model that the list gives away passes a spent budget of cost, in checks and reservations', async () => {
    await makeBudget('frugal', 0.01);
    await f.spend({ user_id: 'frugal', cost_usd: 1 });
    const check = (body: object) => f.send('/api/v1/budgets/check', { user_id: 'frugal', ...body });
    await until(async () => (await check({ estimate_usd: 0.1 })).body.allow === false);
    const free = { model: 'deepseek/deepseek-chat-v3.1:free', provider: 'openrouter' };
    const allows = async (answer: ReturnType<typeof reserve>) => (await answer).body.allow;
    for (const call of [free, { estimate_usd: 0 }]) expect(await allows(check(call))).toBe(true);
    const call = { user_id: 'frugal', estimate_usd: 2 };
    expect(await allows(reserve({ ...call, ...free }))).toBe(true);
    expect(await allows(reserve({ ...call, model: 'nobody-knows' }))).toBe(false);
  });
});
