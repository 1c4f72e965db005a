import { describe, expect, it } from 'vitest';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { toolCall } from '../support/mcp.ts';

const f = await fixture({ clock: '2026-11-21T12:00:00Z', perTest: true });

/** A model that no list has. */
const OWN = { model: 'llama-4-70b', provider: 'vllm' };
const LISTED = { model: 'claude-opus-4-8', provider: 'anthropic' };
/** The price of a token of it. */
const LISTED_USD = 5 / 1_000_000;
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
    for (const fields of [{ name: 'Other', unpriced: 'refuse' }, { threshold: 5 }])
      expect((await change(id, fields)).body.unpriced).toBe('refuse');
    const { data } = await f.ask('/api/v1/budgets');
    const listed = data.map(({ unpriced }: { unpriced: string | null }) => String(unpriced));
    expect(listed.toSorted()).toEqual(['allow', 'null', 'refuse']);
    const audited = await f.audited('budget.change');
    expect(audited.map(({ details }) => details?.unpriced)).toEqual(['allow', 'refuse', 'refuse']);
  });

  it('is refused on any other budget, and goes with a change that makes it one', async () => {
    const post = (fields: object) => f.send('/api/v1/budgets', { ...HARD, ...fields });
    const refused = { status: 400, body: { errors: [{ pointer: '/unpriced' }] } };
    for (const other of [{ enforce: 'soft' }, { enforce: 'none' }, { metric: 'tokens' }])
      for (const unpriced of ['allow', 'refuse'])
        expect(await post({ ...other, unpriced })).toMatchObject(refused);
    expect((await post({ unpriced: 'deny' })).status).toBe(400);
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
      expect((await reserve({ ...OWN, ...estimate })).body).toMatchObject({
        ...refusal,
        reservation_id: null,
      });
    const embedding = { provider: 'openai', model: 'text-embedding-3-small' };
    for (const priced of [LISTED, embedding, { model: 'gemini-2.5-flash-image' }, {}])
      expect((await check({ ...priced, estimate_usd: 1 })).allow, JSON.stringify(priced)).toBe(true);
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
    const headers = { 'X-Governor-Model': OWN.model, 'X-Governor-Provider': OWN.provider };
    const gate = await f.send('/gate', undefined, { headers });
    expect(gate).toMatchObject({ status: 403, body: { refused_by: { cause: 'unpriced' }, retry_at: null } });
    expect(gate.body.detail).toContain('"llama-4-70b" has no price');
    expect(gate.headers.get('retry-after')).toBeNull();
    const call = (name: string, args: object) => f.api.call('/mcp', { key: f.key, ...toolCall(name, args) });
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
    expect(await check(OWN, key)).toEqual({
      allow: false,
      reason:
        'The model "llama-4-70b" has no price, and a budget of your organization refuses such calls. An admin can give it one (Settings, Prices).',
      refused_by: { id: secret.id, name: null, cause: 'unpriced', resets_at: null },
      retry_at: null,
      budgets: [],
    });
  });

  it('counts only in budgets whose filter takes it', async () => {
    await budget({ filter: { models: ['claude-*'] }, unpriced: 'refuse' });
    expect((await check(OWN)).allow).toBe(true);
    expect((await check({ model: 'claude-opus-4-80' })).refused_by.cause).toBe('unpriced');
  });
});

describe('an estimate by tokens', () => {
  type Call = typeof OWN & { tokens_in: number; project_id: string };
  /** The ways to ask about the tokens of a call, each with its yes or no. A check says what they cost by the list. */
  const ways: Record<string, (call: Call) => Promise<boolean>> = {
    'a reservation': async (call) => (await reserve(call)).body.allow,
    'the gate': async ({ model, provider, tokens_in, project_id }) => {
      const headers = {
        'X-Governor-Model': model,
        'X-Governor-Provider': provider,
        'X-Governor-Tokens-In': String(tokens_in),
        'X-Governor-Project': project_id,
      };
      return (await f.send('/gate', undefined, { headers })).status === 200;
    },
    'a check': async ({ tokens_in, ...call }) =>
      (await check({ ...call, estimate_usd: tokens_in * LISTED_USD })).allow,
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

  it.each(Object.entries(ways))('of %s is by the price rules of its project alone', async (way, allows) => {
    await makeRules();
    const ask = async (call: Omit<Call, 'project_id'>, ...projects: string[]) => {
      const answers = projects.map(async (id) => [id, await allows({ ...call, project_id: id })] as const);
      return Object.fromEntries(await Promise.all(answers));
    };
    // By the list $0.15, and $5.
    const small = await ask({ ...LISTED, tokens_in: 30_000 }, 'dear', 'gift', 'other');
    expect(small).toEqual({ dear: way === 'a check', gift: true, other: true });
    const large = await ask({ ...LISTED, tokens_in: 1_000_000 }, 'dear', 'gift', 'other');
    expect(large).toEqual({ dear: false, gift: true, other: false });
    const unlisted = await ask({ ...OWN, tokens_in: 100 }, 'known', 'gift', 'other');
    expect(unlisted).toEqual({ known: true, gift: true, other: false });
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
    const other = { ...call, tokens_in: 0, tokens_out: 1_000_000 };
    expect((await reserve(other, headers)).status).toBe(422);
  });
});

describe('the calls without a price in the window of a budget', () => {
  it('are counted by model, whatever the setting, before and after it was made', async () => {
    await f.spend({ ...OWN, user_id: 'ada' });
    const all = await budget({ enforce: 'none' });
    const each = await budget({ per: 'user', threshold: 1 });
    await f.spend(
      { ...OWN, user_id: 'ada' },
      { ...OWN, user_id: 'bo', provider: 'ollama' },
      { model: 'qwen', user_id: 'bo' },
      { ...LISTED, user_id: 'ada', cost_usd: 5 },
    );
    const qwen = { model: 'qwen', signals: 1 };
    const [whole, ada] = [[{ model: OWN.model, signals: 3 }, qwen], [{ model: OWN.model, signals: 2 }]];
    expect(await read(all.id)).toMatchObject({ unpriced_signals: 4, unpriced_models: whole });
    expect(await read(each.id)).toMatchObject({ unpriced_signals: 2, unpriced_models: ada });
    expect((await change(all.id, { name: 'A' })).body.unpriced_models).toEqual(whole);
  });

  it('are those of its own window, in a list of budgets that share a counter too', async () => {
    const windows = [
      { window: 'daily' },
      ...[3, 7].map((rolling_days) => ({ window: 'rolling', rolling_days })),
    ];
    const budgets: { id: string }[] = [];
    for (const window of windows) budgets.push(await budget(window));
    for (const day of ['2026-11-21', '2026-11-20', '2026-11-16'])
      await f.spend({ ...OWN, ts: `${day}T09:00:00Z` });
    const alone = await Promise.all(budgets.map(({ id }) => read(id)));
    expect(alone).toMatchObject([1, 2, 3].map((signals) => ({ unpriced_models: [{ signals }] })));
    const { data } = await f.ask('/api/v1/budgets');
    for (const each of alone) expect(data).toContainEqual(each);
  });
});
