import { describe, expect, test } from 'vitest';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { BUDGET, fixture } from '../support/fixture.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const f = await fixture({ clock: NOW, tenant: { timezone: 'UTC' }, perTest: true });
const { api } = f;

const HARD = { ...BUDGET, metric: 'signals', threshold: 2, window: 'monthly', enforce: 'hard' };
const post = (filter: object, path = '') => f.send(`/api/v1/budgets${path}`, { ...HARD, filter });
const record = (call: object) => f.record({ ts: NOW, user_id: 'ada', ...call });
const current = async (id: string) => (await f.ask(`/api/v1/budgets/${id}`)).current;
const isAllowed = async (call: object) => {
  await statusCache(api.ctx).refresh(f.orgId);
  return (await f.ask('/api/v1/budgets/check', { user_id: 'ada', ...call })).allow;
};

/** A call before the budget, one after it, and a question: all by the names of one call. */
async function counts(filter: object, call: object): Promise<boolean> {
  await record(call);
  const made = await post(filter);
  expect(made.status).toBe(201);
  expect(made.body.filter).toEqual(filter);
  const before = await current(made.body.id);
  await record(call);
  const after = await current(made.body.id);
  const isCounted = before === 1 && after === 2;
  expect([before, after]).toEqual(isCounted ? [1, 2] : [0, 0]);
  expect(await isAllowed(call)).toBe(!isCounted);
  return isCounted;
}

describe('a filter of providers', () => {
  test.each([
    ['azure-openai', 'azure-openai'],
    ['azure-openai', 'azure'],
    ['azure.ai.openai', 'azure-openai'],
    ['azure', 'microsoft'],
    ['aws.bedrock', 'bedrock'],
    ['aws.bedrock', 'aws.bedrock'],
    ['Vertex_AI', 'google-vertex'],
    ['gcp.gemini', 'google'],
    ['xai', 'x-ai'],
    ['grok', 'xai'],
    ['anthropic.messages', 'claude'],
    ['LiteLLM', 'litellm'],
    ['litellm', 'openai'],
    ['github_copilot', 'github-copilot'],
    ['opencode.chat', 'opencode'],
    ['ollama', 'ollama'],
    ['Our Own Proxy', 'our own proxy'],
    ['our.proxy', 'our-proxy'],
    ['unknown', 'openai'],
  ])('counts calls of %s by the name %s', async (provider, name) => {
    expect(await counts({ providers: [name] }, { provider, model: 'gpt-5' })).toBe(true);
  });

  test.each([
    ['azure-openai', 'openai'],
    ['ollama', 'openai'],
    ['litellm', 'github-copilot'],
    ['openai', 'litellm'],
    ['openai', 'unknown'],
  ])('counts no calls of %s by the name %s', async (provider, name) => {
    expect(await counts({ providers: [name] }, { provider, model: 'gpt-5' })).toBe(false);
  });

  test.each([
    ['open-ai', { provider: undefined, model: 'gpt-5' }],
    ['unknown', { provider: undefined, model: 'nobody-knows-it' }],
    ['unknown', { provider: 'ollama', model: 'gpt-oss' }],
  ])(
    'counts calls without a provider by that of their model, else as unknown: by %s %j',
    async (name, call) => {
      expect(await counts({ providers: [name] }, call)).toBe(true);
    },
  );

  test('is a 400 with a name that no list and no call has, when it is created, changed and previewed', async () => {
    const refused = {
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '/filter/providers' }] },
    };
    const nobody = { providers: ['openai', 'azure-opnai'] };
    expect(await post(nobody)).toMatchObject(refused);
    expect((await post(nobody)).body.detail).toContain('"azure-opnai"');
    expect(await post(nobody, '/preview')).toMatchObject(refused);
    const { id } = (await post({ providers: ['openai'] })).body;
    const change = (body: object) => f.patch(`/api/v1/budgets/${id}`, body);
    expect(await change({ filter: nobody })).toMatchObject(refused);
    expect(await post(nobody, `/preview?budget_id=${id}`)).toMatchObject(refused);
    await record({ provider: 'azure-opnai', model: 'gpt-5' });
    expect((await post(nobody)).status).toBe(201);
    expect((await change({ filter: nobody })).status).toBe(200);
    const other = await f.tenant({ timezone: 'UTC' });
    expect(await f.send('/api/v1/budgets', { ...HARD, filter: nobody }, { key: other.key })).toMatchObject(
      refused,
    );
  });

  test('that a call answers by a gateway alone counts it only where it reserves', async () => {
    await record({ provider: 'openai', model: 'gpt-5' });
    await record({ provider: 'openai', model: 'gpt-5' });
    await post({ providers: ['openai'] });
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
    ['openai/gpt-5', 'gpt-5'],
    ['openai/gpt-5', 'openai/gpt-5'],
    ['openai:gpt-5', 'gpt-*'],
    ['openrouter/anthropic/claude-sonnet-4-5', 'claude-*'],
    ['bedrock/us.anthropic.claude-sonnet-4-5', 'claude-sonnet-*'],
    ['us.anthropic.claude-sonnet-4-5', 'us.anthropic.*'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['claude-opus-4-6[1m]', 'claude-opus-4-6'],
    ['claude-sonnet-4@20250514', 'claude-sonnet-4-20250514'],
  ])('counts calls of %s by the name %s', async (model, name) => {
    expect(await counts({ models: [name] }, { model })).toBe(true);
  });

  test.each([
    ['gpt-5', 'openai/gpt-5'],
    ['azure/gpt-5', 'openai/gpt-5'],
    ['llama3:8b', '8b'],
  ])('counts no calls of %s by the name %s', async (model, name) => {
    expect(await counts({ models: [name] }, { model })).toBe(false);
  });
});
