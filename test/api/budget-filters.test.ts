import { describe, expect, test } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { budgetWindowRows } from '../../shared/core/limits/budgets/rules/counted.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import type { BudgetView } from '../../shared/core/limits/budgets/rules/view.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { providerOf } from '../../shared/core/pricing/provider-of.ts';
import { fixture } from '../support/fixture.ts';
import { pick, seeded } from '../support/random.ts';
import { recordAll } from '../support/usage.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 20);
const DAY = 86_400_000;
const random = seeded(223);
const f = await fixture({ clock: NOW, tenant: { timezone: 'UTC' } });
const { api } = f;

const BUDGET = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: 10, window: 'monthly' };
const post = (fields: object, as = f.key) => f.send('/api/v1/budgets', { ...BUDGET, ...fields }, { key: as });
const make = async (fields: object, as = f.key) => (await post(fields, as)).body;
const read = (id: string, as = f.key) => f.ask(`/api/v1/budgets/${id}`, undefined, { key: as });
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
    await f.remove(`/api/v1/budgets/${created.id}`);
  });

  test.each([
    ['no list', {}],
    ['an empty list', { models: [] }],
    ['21 values', { adapters: Array.from({ length: 21 }, (_, index) => `a${index}`) }],
    ['a value of 129 characters', { providers: ['x'.repeat(129)] }],
    ['another list', { users: ['ada'] }],
  ])('is refused with %s', async (_, filter) => {
    expect((await post({ filter })).body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('counts no sessions', async () => {
    const filter = { adapters: ['codex'] };
    expect((await post({ filter, metric: 'sessions' })).status).toBe(400);
    const { id } = await make({ filter });
    expect((await f.patch(`/api/v1/budgets/${id}`, { metric: 'sessions' })).status).toBe(400);
    await f.remove(`/api/v1/budgets/${id}`);
  });

  test('decides about the calls that it names, and about unnamed ones only where they reserve', async () => {
    const filter = { models: ['gpt-5*'], providers: ['openai', 'azure'], adapters: ['claude-code'] };
    const of = { scope: 'user', scope_id: 'cyd', threshold: 1, enforce: 'hard' };
    await make({ ...of, filter });
    await f.record({ ts: NOW, user_id: 'cyd', adapter: 'claude-code', model: 'gpt-5', cost_usd: 2 });
    await renew();
    const call = { user_id: 'cyd', model: 'GPT-5-mini', adapter: 'Claude-Code' };
    const isAllowed = async (verb: string, body: object) => {
      const { status, body: answer } = await ask(verb, body);
      expect(status).toBe(200);
      return answer.allow;
    };
    expect(await isAllowed('check', call)).toBe(false);
    expect(await isAllowed('check', { ...call, provider: 'azure.ai.openai' })).toBe(false);
    expect(await isAllowed('check', { ...call, provider: 'openrouter' })).toBe(true);
    expect(await isAllowed('check', { ...call, model: 'claude-sonnet-4-5' })).toBe(true);
    expect(await isAllowed('check', { user_id: 'cyd', model: 'gpt-5' })).toBe(true);
    expect(await isAllowed('check', { user_id: 'cyd' })).toBe(true);
    const held = { estimate_usd: 0.5, ttl_s: 60 };
    expect(await isAllowed('reserve', { ...held, user_id: 'cyd' })).toBe(false);
    expect(await isAllowed('reserve', { ...held, user_id: 'cyd', model: 'gpt-5' })).toBe(false);
    expect(await isAllowed('reserve', { ...held, user_id: 'cyd', model: 'gpt-4' })).toBe(true);
    expect(await isAllowed('reserve', { ...held, user_id: 'cyd', adapter: 'codex' })).toBe(true);
    const gate = (headers: Record<string, string>) =>
      f.send('/gate', undefined, {
        headers: { 'X-Governor-User': 'cyd', 'X-Governor-Estimate-Usd': '1', ...headers },
      });
    expect((await gate({})).status).toBe(403);
    expect((await gate({ 'X-Governor-Model': 'gpt-4' })).status).toBe(200);
    expect((await gate({ 'X-Governor-Provider': 'aws.bedrock' })).status).toBe(200);
  });

  test('refuses in the hook of Claude Code, which is the adapter claude-code', async () => {
    const { key: own, record } = await f.tenant();
    const hook = () => f.send('/hooks/claude-code', { hook_event_name: 'UserPromptSubmit' }, { key: own });
    const spent = { metric: 'signals', threshold: 1, enforce: 'hard' };
    await record(
      { ts: NOW, adapter: 'codex', model: 'gpt-5' },
      { ts: NOW, adapter: 'claude-code', model: undefined, tokens_in: 0, tokens_out: 0 },
    );
    await make({ ...spent, filter: { adapters: ['codex'] } }, own);
    await make({ ...spent, filter: { models: ['gpt-5'] } }, own);
    expect((await hook()).body).toEqual({});
    await make({ ...spent, name: 'of it', filter: { adapters: ['claude-code'] } }, own);
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

  test('a repeat with another model is another request', async () => {
    const of = { scope: 'project', scope_id: 'again', threshold: 1, enforce: 'hard' };
    await make({ ...of, filter: { models: ['gpt-5*'] } });
    await renew();
    const body = { project_id: 'again', estimate_usd: 0.3, ttl_s: 60 };
    const reserve = (model: string) =>
      f.send('/api/v1/budgets/reserve', { ...body, model }, { headers: { 'Idempotency-Key': 'the call' } });
    const first = await reserve('gpt-5');
    expect((await reserve('gpt-5')).body).toEqual(first.body);
    expect((await reserve('gpt-5-mini')).body.code).toBe('idempotency_key_reused');
  });
});

const MODELS = ['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'nobody-knows-it'];
const PROVIDERS = [undefined, 'aws.bedrock', 'OpenAI', 'litellm', 'ollama'];
const madeUp = () => ({
  ts: Math.floor(NOW - random() * 17 * DAY),
  user_id: pick(random, ['ada', 'bob', 'eve']),
  project_id: pick(random, ['apollo', 'gemini']),
  adapter: pick(random, ['codex', 'claude-code']),
  model: pick(random, MODELS),
  provider: pick(random, PROVIDERS),
  tokens_in: Math.floor(random() * 1_000),
  cost_usd: Math.floor(random() * 1e6) / 1e9,
});
const posted = (count: number) =>
  Array.from({ length: count }, () => JSON.parse(JSON.stringify(madeUp())) as ReturnType<typeof madeUp>);

const FILTERS = [
  { models: ['gpt-5*'] },
  { models: ['*-mini', 'claude-*-5'], adapters: ['codex'] },
  { providers: ['aws'] },
  { providers: ['openai', 'unknown'] },
  { models: ['*'], providers: ['anthropic'], adapters: ['claude-code', 'codex'] },
];

describe('usage of budgets with filters', () => {
  test('is that of the matching signals: earlier ones, new ones, late ones and voided ones', async () => {
    const own = await f.tenant({ timezone: 'UTC' });
    const isIn = (window: string, ts: number) =>
      ts >= (window === 'daily' ? Date.UTC(2026, 10, 18) : Date.UTC(2026, 10, 1));
    await recordAll(api.ctx, own.orgId, posted(150));
    const budgets: BudgetView[] = [];
    for (const filter of FILTERS)
      for (const [window, metric] of [
        ['monthly', 'tokens'],
        ['daily', 'signals'],
      ] as const)
        for (const scope of [{ scope: 'org' }, { scope: 'user', scope_id: 'ada' }])
          budgets.push(await make({ ...scope, window, metric, filter, threshold: 1e6 }, own.key));
    const compare = async () => {
      const signals = await signalRows(api.ctx).find({ org_id: own.orgId }).toArray();
      for (const { id, filter, window, metric, scope } of budgets) {
        const { models = ['*'], providers, adapters } = filter ?? {};
        const counted = signals.filter((signal) => {
          const isOfModel = models.some((model: string) =>
            new RegExp(`^${model.replaceAll('*', '.*')}$`).test(signal.model ?? 'unknown'),
          );
          return (
            !signal.voided &&
            (scope === 'org' || signal.user_id === 'ada') &&
            isIn(window, signal.ts.getTime()) &&
            isOfModel &&
            (!providers || providers.includes(providerOf(signal, NOW))) &&
            (!adapters || adapters.includes(signal.adapter))
          );
        });
        const amount = counted.reduce(
          (sum, { tokens_in, tokens_out }) => sum + (metric === 'tokens' ? tokens_in + tokens_out : 1),
          0,
        );
        const view = await read(id, own.key);
        expect({ id, filter, current: view.current }).toEqual({ id, filter, current: amount });
        const usage = await f.ask(`/api/v1/budgets/${id}/usage`, undefined, { key: own.key });
        const total = (rows: { used: number }[]) => rows.reduce((sum, { used }) => sum + used, 0);
        expect([total(usage.points), total(usage.users)]).toEqual([amount, amount]);
        expect(new Set(usage.users.map((row: { user_id: string }) => row.user_id)).size).toBe(
          usage.users.length,
        );
      }
    };
    await compare();
    await recordAll(api.ctx, own.orgId, posted(100));
    await compare();
    const sessions = await signalRows(api.ctx).distinct('session_id', { org_id: own.orgId });
    for (const session of sessions.slice(0, 40)) {
      const signals = await signalRows(api.ctx).find({ session_id: session }).toArray();
      const body = { signal_ids: signals.map(({ id }) => id), reason: 'wrong' };
      const voided = await f.send(`/api/v1/sessions/${session}/void`, body, { key: own.key });
      expect(voided.status).toBe(200);
    }
    await compare();
    // The same windows, counted anew from the rollups.
    const before = await budgetWindowRows(api.ctx).find({ org_id: own.orgId }).toArray();
    for (const { id, threshold } of budgets)
      await f.patch(`/api/v1/budgets/${id}`, { threshold: threshold + 1 }, { key: own.key });
    expect(before.length).toBeGreaterThan(0);
    await compare();
  });

  test('shares a counter with budgets of the same filter, and with no other', async () => {
    const own = await f.tenant({ timezone: 'UTC' });
    await make({ filter: { models: ['a', 'B'] } }, own.key);
    await make({ filter: { models: ['b', 'A'] }, metric: 'tokens' }, own.key);
    await make({ filter: { adapters: ['a', 'b'] } }, own.key);
    await make({}, own.key);
    await recordAll(api.ctx, own.orgId, [
      { ts: NOW, user_id: 'ada', model: 'a', adapter: 'b', tokens_in: 1 },
    ]);
    const rows = await budgetWindowRows(api.ctx).find({ org_id: own.orgId, signals: 1 }).toArray();
    expect(new Set(rows.map(({ counter }) => counter)).size).toBe(3);
    expect(await budgetRows(api.ctx).countDocuments({ org_id: own.orgId })).toBe(4);
  });
});
