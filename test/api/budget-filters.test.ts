import { describe, expect, test } from 'vitest';
import { budgetWindowRows } from '../../shared/core/limits/budgets/rules/counted.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { BUDGET, fixture } from '../support/fixture.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const f = await fixture({ clock: NOW, tenant: { timezone: 'UTC' }, perTest: true });
const { api } = f;

const MONTH = { ...BUDGET, window: 'monthly' };
const post = (fields: object) => f.send('/api/v1/budgets', { ...MONTH, ...fields });
const make = async (fields: object) => (await post(fields)).body;
const read = (id: string) => f.ask(`/api/v1/budgets/${id}`);
const ask = (verb: string, body: object) => f.send(`/api/v1/budgets/${verb}`, body);
/** The next question sees everything that was written. */
const renew = () => statusCache(api.ctx).refresh(f.orgId);

describe('a budget with a filter', () => {
  test('shows it in one form, and a change of its case alone is none', async () => {
    const filter = { models: ['GPT-5*', 'gpt-5*', 'Claude-*'], adapters: ['Codex'] };
    const created = await make({ filter });
    expect(created.filter).toEqual({ models: ['claude-*', 'gpt-5*'], adapters: ['codex'] });
    const change = (body: object) => f.patch(`/api/v1/budgets/${created.id}`, body);
    expect((await change({ filter: { ...filter, adapters: ['CODEX'] } })).body.revision).toBe(1);
    const codex = { filter: { adapters: ['codex'] } };
    for (const changed of [codex, { name: 'C' }])
      expect((await change(changed)).body).toMatchObject({ revision: 2, ...codex });
    expect((await change({ filter: null })).body).toMatchObject({ revision: 3, filter: null });
  });

  test('decides about the calls that it names, and about unnamed ones only where they reserve', async () => {
    const filter = { models: ['gpt-5*'], providers: ['openai', 'azure'], adapters: ['claude-code'] };
    const of = { scope: 'user', scope_id: 'cyd', threshold: 1, enforce: 'hard' };
    await make({ ...of, filter });
    await f.record({ ts: NOW, user_id: 'cyd', adapter: 'claude-code', model: 'gpt-5', cost_usd: 2 });
    await renew();
    const call = { user_id: 'cyd', model: 'GPT-5-mini', adapter: 'Claude-Code' };
    const held = { user_id: 'cyd', estimate_usd: 0.5, ttl_s: 60 };
    const asked = [
      ['check', call, false],
      ['check', { ...call, provider: 'azure.ai.openai' }, false],
      ['check', { ...call, provider: 'openrouter' }, true],
      ['check', { ...call, model: 'claude-sonnet-4-5' }, true],
      ['check', { user_id: 'cyd', model: 'gpt-5' }, true],
      ['check', { user_id: 'cyd' }, true],
      ['reserve', held, false],
      ['reserve', { ...held, model: 'gpt-5' }, false],
      ['reserve', { ...held, model: 'gpt-4' }, true],
      ['reserve', { ...held, adapter: 'codex' }, true],
    ] as const;
    for (const [verb, body, allow] of asked)
      expect((await ask(verb, body)).body, JSON.stringify(body)).toMatchObject({ allow });
    const gate = (headers: Record<string, string>) =>
      f.send('/gate', undefined, {
        headers: { 'X-Governor-User': 'cyd', 'X-Governor-Estimate-Usd': '1', ...headers },
      });
    expect((await gate({})).status).toBe(403);
    expect((await gate({ 'X-Governor-Model': 'gpt-4' })).status).toBe(200);
    expect((await gate({ 'X-Governor-Provider': 'aws.bedrock' })).status).toBe(200);
  });

  test('refuses in the hook of Claude Code, which is the adapter claude-code', async () => {
    const hook = () => f.send('/hooks/claude-code', { hook_event_name: 'UserPromptSubmit' });
    const spent = { metric: 'signals', threshold: 1, enforce: 'hard' };
    await f.record(
      { ts: NOW, adapter: 'codex', model: 'gpt-5' },
      { ts: NOW, adapter: 'claude-code', model: undefined, tokens_in: 0, tokens_out: 0 },
    );
    await make({ ...spent, filter: { adapters: ['codex'] } });
    await make({ ...spent, filter: { models: ['gpt-5'] } });
    expect((await hook()).body).toEqual({});
    await make({ ...spent, name: 'of it', filter: { adapters: ['claude-code'] } });
    expect((await hook()).body).toMatchObject({ decision: 'block' });
  });

  test('holds a limit together with reservations, and nothing of calls that it does not count', async () => {
    const of = { scope: 'project', scope_id: 'held', threshold: 1, enforce: 'hard' };
    const { id } = await make({ ...of, filter: { models: ['gpt-5'] } });
    await renew();
    const reserve = (model: string) =>
      ask('reserve', { project_id: 'held', user_id: 'ada', model, estimate_usd: 0.3, ttl_s: 60 });
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => reserve(index % 2 ? 'gpt-5' : 'gpt-4')),
    );
    const allowed = (of5: number) => all.filter(({ body }, index) => index % 2 === of5 && body.allow);
    expect([allowed(0).length, allowed(1).length]).toEqual([10, 3]);
    await renew();
    expect((await read(id)).reserved).toBe(0.9);
  });
});

test('budgets of the same filter share a counter, and with no other', async () => {
  await make({ filter: { models: ['a', 'B'] } });
  await make({ filter: { models: ['b', 'A'] }, metric: 'tokens' });
  await make({ filter: { adapters: ['a', 'b'] } });
  await make({});
  await f.record({ ts: NOW, user_id: 'ada', model: 'a', adapter: 'b', tokens_in: 1 });
  const rows = await budgetWindowRows(api.ctx).find({ org_id: f.orgId, signals: 1 }).toArray();
  expect(new Set(rows.map(({ counter }) => counter)).size).toBe(3);
  expect(await budgetRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(4);
});

const HARD = { ...MONTH, metric: 'signals', threshold: 2, enforce: 'hard' };
const name = (filter: object, path = '') => f.send(`/api/v1/budgets${path}`, { ...HARD, filter });
const record = (call: object) => f.record({ ts: NOW, user_id: 'ada', ...call });
const isAllowed = async (call: object) => {
  await renew();
  return (await f.ask('/api/v1/budgets/check', { user_id: 'ada', ...call })).allow;
};

/** Checks a call before the budget, one after it, and a question: all by the names of one call. */
async function expectCounted(filter: object, call: object, isCounted: boolean): Promise<void> {
  await record(call);
  const { status, body } = await name(filter);
  expect([status, body.filter, body.current]).toEqual([201, filter, isCounted ? 1 : 0]);
  await record(call);
  expect((await read(body.id)).current).toBe(isCounted ? 2 : 0);
  expect(await isAllowed(call)).toBe(!isCounted);
}

describe('a filter of providers', () => {
  test.each([
    ['azure-openai', 'azure-openai', true],
    ['azure-openai', 'azure', true],
    ['azure.ai.openai', 'azure-openai', true],
    ['azure', 'microsoft', true],
    ['aws.bedrock', 'bedrock', true],
    ['aws.bedrock', 'aws.bedrock', true],
    ['Vertex_AI', 'google-vertex', true],
    ['gcp.gemini', 'google', true],
    ['xai', 'x-ai', true],
    ['grok', 'xai', true],
    ['anthropic.messages', 'claude', true],
    ['LiteLLM', 'litellm', true],
    ['litellm', 'openai', true],
    ['github_copilot', 'github-copilot', true],
    ['opencode.chat', 'opencode', true],
    ['ollama', 'ollama', true],
    ['Our Own Proxy', 'our own proxy', true],
    ['our.proxy', 'our-proxy', true],
    ['unknown', 'openai', true],
    ['azure-openai', 'openai', false],
    ['ollama', 'openai', false],
    ['litellm', 'github-copilot', false],
    ['openai', 'litellm', false],
    ['openai', 'unknown', false],
  ])('counts calls of %s by the name %s: %s', async (provider, named, isCounted) => {
    await expectCounted({ providers: [named] }, { provider, model: 'gpt-5' }, isCounted);
  });

  test.each([
    ['open-ai', { provider: undefined, model: 'gpt-5' }],
    ['unknown', { provider: undefined, model: 'nobody-knows-it' }],
    ['unknown', { provider: 'ollama', model: 'gpt-oss' }],
  ])(
    'counts calls without a provider by that of their model, else as unknown: by %s %j',
    async (named, call) => {
      await expectCounted({ providers: [named] }, call, true);
    },
  );

  test('is a 400 with a name that no list and no call has, when it is created, changed and previewed', async () => {
    const nobody = { providers: ['openai', 'azure-opnai'] };
    const { id } = (await name({ providers: ['openai'] })).body;
    const change = () => f.patch(`/api/v1/budgets/${id}`, { filter: nobody });
    const other = await f.tenant();
    const elsewhere = () => f.send('/api/v1/budgets', { ...HARD, filter: nobody }, { key: other.key });
    const refused = {
      code: 'invalid_request',
      detail: expect.stringContaining('"azure-opnai"'),
      errors: [{ pointer: '/filter/providers' }],
    };
    const previews = ['/preview', `/preview?budget_id=${id}`].map((path) => () => name(nobody, path));
    for (const act of [() => name(nobody), change, ...previews, elsewhere])
      expect(await act()).toMatchObject({ status: 400, body: refused });
    await record({ provider: 'azure-opnai', model: 'gpt-5' });
    expect([(await name(nobody)).status, (await change()).status, (await elsewhere()).status]).toEqual([
      201, 200, 400,
    ]);
  });

  test('that a call answers by a gateway alone counts it only where it reserves', async () => {
    await record({ provider: 'openai', model: 'gpt-5' });
    await record({ provider: 'openai', model: 'gpt-5' });
    await name({ providers: ['openai'] });
    const reserve = async (call: object) => {
      const body = { user_id: 'ada', estimate_usd: 1, ttl_s: 60, ...call };
      return (await f.ask('/api/v1/budgets/reserve', body)).allow;
    };
    expect(await isAllowed({ provider: 'litellm' })).toBe(true);
    expect(await reserve({ provider: 'litellm' })).toBe(false);
    expect(await reserve({ provider: 'unknown' })).toBe(false);
    expect(await reserve({ provider: 'ollama' })).toBe(true);
  });
});

describe('a filter of models', () => {
  test.each([
    ['openai/gpt-5', 'gpt-5', true],
    ['openai/gpt-5', 'openai/gpt-5', true],
    ['openai:gpt-5', 'gpt-*', true],
    ['openrouter/anthropic/claude-sonnet-4-5', 'claude-*', true],
    ['bedrock/us.anthropic.claude-sonnet-4-5', 'claude-sonnet-*', true],
    ['us.anthropic.claude-sonnet-4-5', 'us.anthropic.*', true],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro', true],
    ['claude-opus-4-6[1m]', 'claude-opus-4-6', true],
    ['claude-sonnet-4@20250514', 'claude-sonnet-4-20250514', true],
    ['gpt-5', 'openai/gpt-5', false],
    ['azure/gpt-5', 'openai/gpt-5', false],
    ['llama3:8b', '8b', false],
  ])('counts calls of %s by the name %s: %s', async (model, named, isCounted) => {
    await expectCounted({ models: [named] }, { model }, isCounted);
  });
});
