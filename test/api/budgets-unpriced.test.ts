import { describe, expect, it } from 'vitest';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';

const f = await fixture({ clock: '2026-11-21T12:00:00Z', perTest: true });

/** A model that no list has. */
const OWN = { model: 'llama-4-70b', provider: 'vllm' };
const LISTED = { model: 'claude-opus-4-8', provider: 'anthropic' };
const HARD = { ...BUDGET, name: 'Month', threshold: 100, window: 'monthly', enforce: 'hard' };
const GPUS = {
  name: 'Our own GPUs',
  from: '2026-10-01',
  match: { provider: 'vllm' },
  usd_per_million: { input: 1, output: 2 },
};

const budget = (fields: object = {}) => f.ask('/api/v1/budgets', { ...HARD, ...fields });
const read = (id: string) => f.ask(`/api/v1/budgets/${id}`);
const change = (id: string, fields: object) => f.patch(`/api/v1/budgets/${id}`, fields);
const rule = (fields: object) => f.ask('/api/v1/price-rules', fields);
const check = (body: object, key = f.key) => f.ask('/api/v1/budgets/check', body, { key });
const reserve = (body: object, headers = {}) =>
  f.send('/api/v1/budgets/reserve', { ttl_s: 60, ...body }, { headers });

describe('the setting `unpriced` of a budget', () => {
  it('is `allow` by default, null on budgets that are not hard ones of cost, and in the audit log', async () => {
    expect(await budget()).toMatchObject({ unpriced: 'allow' });
    expect(await budget({ enforce: 'soft' })).toMatchObject({ unpriced: null });
    const { id, revision } = await budget({ unpriced: 'refuse' });
    expect(await read(id)).toMatchObject({ unpriced: 'refuse', unpriced_models: [] });
    expect((await change(id, { unpriced: 'allow' })).body).toMatchObject({ unpriced: 'allow', revision });
    expect((await change(id, { name: 'Other', unpriced: 'refuse' })).body).toMatchObject({
      unpriced: 'refuse',
    });
    expect((await change(id, { threshold: 5 })).body).toMatchObject({ unpriced: 'refuse' });
    const { data } = await f.ask('/api/v1/budgets');
    expect(new Set(data.map((budget: { unpriced: unknown }) => budget.unpriced))).toEqual(
      new Set(['refuse', null, 'allow']),
    );
    const audited = await f.audited('budget.change');
    expect(audited.map(({ details }) => details?.unpriced)).toEqual(['allow', 'refuse', 'refuse']);
  });

  it('is refused on any other budget, and goes with a change that makes it one', async () => {
    for (const other of [{ enforce: 'soft' }, { enforce: 'none' }, { metric: 'tokens' }])
      for (const unpriced of ['allow', 'refuse'])
        expect(await f.send('/api/v1/budgets', { ...HARD, ...other, unpriced })).toMatchObject({
          status: 400,
          body: { errors: [{ pointer: '/unpriced' }] },
        });
    expect((await f.send('/api/v1/budgets', { ...HARD, unpriced: 'deny' })).status).toBe(400);
    const { id } = await budget({ unpriced: 'refuse' });
    expect((await change(id, { enforce: 'soft', unpriced: 'refuse' })).status).toBe(400);
    expect((await change(id, { enforce: 'soft' })).body).toMatchObject({ unpriced: null });
    expect((await change(id, { unpriced: 'refuse' })).status).toBe(400);
    expect((await change(id, { enforce: 'hard' })).body).toMatchObject({ unpriced: 'allow' });
  });
});

describe('a call whose model has no price, at a budget that refuses those', () => {
  it('is refused by checks and reservations, also with an estimate, until a rule gives it a price', async () => {
    const { id } = await budget({ unpriced: 'refuse' });
    const refusal = {
      allow: false,
      reason:
        'The model "llama-4-70b" has no price, and budget "Month" refuses such calls. An admin can give it one (Settings, Prices).',
      refused_by: { id, name: 'Month', cause: 'unpriced', resets_at: null },
      retry_at: null,
      budgets: [{ id, refuses: true, cause: 'unpriced', resets_at: '2026-12-01T00:00:00.000Z' }],
    };
    for (const estimate of [{}, { estimate_usd: 1 }, { estimate_usd: 0 }])
      expect(await check({ ...OWN, ...estimate })).toMatchObject(refusal);
    for (const estimate of [{ estimate_usd: 1 }, { estimate_usd: 0 }, { tokens_in: 10, tokens_out: 10 }])
      expect(await reserve({ ...OWN, ...estimate })).toMatchObject({
        status: 200,
        body: { ...refusal, reservation_id: null },
      });
    for (const priced of [
      LISTED,
      { provider: 'openai', model: 'text-embedding-3-small' },
      { model: 'gemini-2.5-flash-image' },
      {},
    ])
      expect(await check({ ...priced, estimate_usd: 1 }), JSON.stringify(priced)).toMatchObject({
        allow: true,
      });
    await rule(GPUS);
    await until(async () => (await check(OWN)).allow);
    expect((await reserve({ ...OWN, tokens_in: 10, tokens_out: 10 })).body.allow).toBe(true);
  });

  it('passes one that allows it, and one of tokens without an estimate is a 400 there', async () => {
    await budget();
    expect((await check({ ...OWN, estimate_usd: 1 })).allow).toBe(true);
    expect((await reserve({ ...OWN, estimate_usd: 1 })).body.allow).toBe(true);
    expect((await reserve({ ...OWN, tokens_in: 10 })).status).toBe(400);
  });

  it('is refused at the gate and to tools of MCP', async () => {
    await budget({ unpriced: 'refuse' });
    const headers = { 'X-Governor-User': 'ada', 'X-Governor-Model': OWN.model };
    const gate = await f.send('/gate', undefined, {
      headers: { ...headers, 'X-Governor-Provider': OWN.provider },
    });
    expect(gate).toMatchObject({ status: 403, body: { refused_by: { cause: 'unpriced' }, retry_at: null } });
    expect(gate.body.detail).toContain('"llama-4-70b" has no price');
    expect(gate.headers.get('retry-after')).toBeNull();
    const call = (name: string, args: object) =>
      f.send(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
        { headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' } },
      );
    const asked = { estimate_usd: '0.5', model: OWN.model };
    expect((await call('check_spend', asked)).text).toContain('unpriced');
    expect((await call('reserve_spend', { ...asked, idempotency_key: 'a' })).text).toContain('has no price');
  });

  it('of a template is refused to each person, who may not see the name of another budget', async () => {
    await budget({ name: 'Each', per: 'user', unpriced: 'refuse' });
    const secret = await budget({ name: 'Secret', unpriced: 'refuse', window: 'total' });
    const key = await f.keyOf('ada');
    const refused = await check(OWN, key);
    expect(refused.budgets).toMatchObject([{ name: 'Each', scope: 'user', cause: 'unpriced' }]);
    await f.remove(`/api/v1/budgets/${refused.budgets[0].id}`);
    const answer = await check(OWN, key);
    expect(answer).toMatchObject({
      refused_by: { id: secret.id, name: null, cause: 'unpriced' },
      budgets: [],
    });
    expect(JSON.stringify(answer)).not.toContain('Secret');
    expect(answer.reason).toBe(
      'The model "llama-4-70b" has no price, and a budget of your organization refuses such calls. An admin can give it one (Settings, Prices).',
    );
  });

  it('counts only in budgets whose filter takes it', async () => {
    await budget({ filter: { models: ['claude-*'] }, unpriced: 'refuse' });
    expect((await check(OWN)).allow).toBe(true);
    expect((await check({ model: 'claude-opus-4-80' })).refused_by.cause).toBe('unpriced');
  });
});

describe('an estimate by tokens', () => {
  interface Call {
    model: string;
    provider: string;
    tokens_in: number;
    project_id: string;
  }
  const headersOf = ({ model, provider, tokens_in, project_id }: Call) => ({
    'X-Governor-Model': model,
    'X-Governor-Provider': provider,
    'X-Governor-Tokens-In': String(tokens_in),
    'X-Governor-Project': project_id,
  });
  /** The ways to ask about the tokens of a call, each with its yes or no. */
  const ways: Record<string, (call: Call) => Promise<boolean>> = {
    'a reservation': async (call) => (await reserve(call)).body.allow,
    'the gate': async (call) =>
      (await f.send('/gate', undefined, { headers: headersOf(call) })).status === 200,
  };

  /** A budget of a dollar, and rules of three projects. */
  async function makeRules(): Promise<void> {
    await budget({ threshold: 1, unpriced: 'refuse' });
    const own = { from: '2026-10-01', usd_per_million: { input: 50, output: 50 } };
    await rule({ ...own, name: 'Dear', match: { provider: 'anthropic', project_id: 'dear' } });
    await rule({ ...own, name: 'Known', match: { provider: 'vllm', project_id: 'known' } });
    await rule({ name: 'Gift', from: '2026-10-01', match: { project_id: 'gift' }, free: true });
    await statusCache(f.api.ctx).renew(f.orgId);
  }
  /** The yes or no in each of these projects. */
  const inEach = async (projects: string[], allows: (project_id: string) => Promise<boolean>) =>
    Object.fromEntries(await Promise.all(projects.map(async (id) => [id, await allows(id)] as const)));

  it.each(Object.entries(ways))('of %s is by the price rules of its project alone', async (_, allows) => {
    await makeRules();
    const ask = (call: Omit<Call, 'project_id'>, ...projects: string[]) =>
      inEach(projects, (project_id) => allows({ ...call, project_id }));
    // By the list $0.15, and $5.
    const small = await ask({ ...LISTED, tokens_in: 30_000 }, 'dear', 'gift', 'other');
    expect(small).toEqual({ dear: false, gift: true, other: true });
    const large = await ask({ ...LISTED, tokens_in: 1_000_000 }, 'dear', 'gift', 'other');
    expect(large).toEqual({ dear: false, gift: true, other: false });
    const unlisted = await ask({ ...OWN, tokens_in: 100 }, 'known', 'gift', 'other');
    expect(unlisted).toEqual({ known: true, gift: true, other: false });
  });

  it('is not needed by a check, which knows the models that a rule of the project gives away or a price', async () => {
    await makeRules();
    const ask = (call: object, ...projects: string[]) =>
      inEach(projects, async (project_id) => (await check({ ...call, project_id })).allow);
    const large = await ask({ ...LISTED, estimate_usd: 5 }, 'gift', 'other');
    expect(large).toEqual({ gift: true, other: false });
    const unlisted = await ask({ ...OWN, estimate_usd: 0.1 }, 'known', 'gift', 'other');
    expect(unlisted).toEqual({ known: true, gift: true, other: false });
  });

  it('is by the price rules of the organization, also of another process’ rule', async () => {
    await budget({ threshold: 1 });
    // $1 by the list.
    expect((await reserve({ ...LISTED, tokens_in: 200_000, tokens_out: 0 })).body.allow).toBe(true);
    await rule({ name: 'Free', from: '2026-10-01', match: {}, free: true });
    await until(async () => (await check({ ...LISTED, estimate_usd: 5 })).allow);
  });

  it('may change between a reservation by tokens and its repeat, which is the same request', async () => {
    await budget();
    await rule(GPUS);
    const headers = { 'Idempotency-Key': 'a price changes' };
    const call = { ...OWN, tokens_in: 1_000_000, tokens_out: 0 };
    await until(async () => (await reserve(call)).status === 200);
    const first = await reserve(call, headers);
    await rule({ ...GPUS, name: 'Dearer', usd_per_million: { input: 90, output: 90 } });
    await until(async () => !(await reserve({ ...call, tokens_in: 2_000_000 })).body.allow);
    const again = await reserve(call, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const other of [{ tokens_in: 0, tokens_out: 1_000_000 }, { tokens_in: 1_000_001 }])
      expect((await reserve({ ...call, ...other }, headers)).status).toBe(422);
  });
});

describe('the calls without a price in the window of a budget', () => {
  it('are counted by model, whatever the setting, as its scope and filter count them', async () => {
    await f.spend({ ...OWN, user_id: 'ada' });
    const all = await budget({ enforce: 'none' });
    const ada = await budget({ scope: 'user', scope_id: 'ada', window: 'total' });
    const each = await budget({ per: 'user', threshold: 1 });
    const vllm = await budget({ filter: { providers: ['vllm'] }, unpriced: 'refuse' });
    const rolling = await budget({ window: 'rolling', rolling_days: 3 });
    await f.spend(
      { ...OWN, user_id: 'ada' },
      { ...OWN, user_id: 'bo', provider: 'ollama' },
      { model: 'qwen', user_id: 'bo' },
      { ...LISTED, user_id: 'ada', cost_usd: 5 },
    );
    const models = async ({ id }: { id: string }) => {
      const { unpriced_signals, unpriced_models } = await read(id);
      return [unpriced_signals, unpriced_models];
    };
    const [llama, qwen] = [
      (signals: number) => ({ model: OWN.model, signals }),
      { model: 'qwen', signals: 1 },
    ];
    expect(await models(all)).toEqual([4, [llama(3), qwen]]);
    expect(await models(rolling)).toEqual([4, [llama(3), qwen]]);
    expect(await models(ada)).toEqual([2, [llama(2)]]);
    expect(await models(each)).toEqual([2, [llama(2)]]);
    expect(await models(vllm)).toEqual([2, [llama(2)]]);
    const alone = await Promise.all([all, ada, each, vllm, rolling].map(({ id }) => read(id)));
    const { data } = await f.ask('/api/v1/budgets');
    for (const budget of alone) expect(data).toContainEqual(budget);
    expect((await change(all.id, { name: 'A' })).body).toMatchObject({ unpriced_models: [llama(3), qwen] });
  });

  it('are those of its own window, in a list of budgets that share a counter too', async () => {
    const daily = await budget({ window: 'daily' });
    const [three, seven] = [3, 7].map((rolling_days) => ({ window: 'rolling', rolling_days }));
    const budgets = [daily, await budget(three), await budget(seven)];
    for (const day of ['2026-11-21', '2026-11-20', '2026-11-16'])
      await f.spend({ ...OWN, ts: `${day}T09:00:00Z` });
    const counts = (of: { unpriced_models: { signals: number }[] }[]) =>
      of.map(({ unpriced_models }) => unpriced_models.map(({ signals }) => signals));
    const alone = await Promise.all(budgets.map(({ id }) => read(id)));
    expect(counts(alone)).toEqual([[1], [2], [3]]);
    const { data } = await f.ask('/api/v1/budgets');
    for (const each of alone) expect(data).toContainEqual(each);
  });
});
