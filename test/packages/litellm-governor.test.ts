import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { makeTenant } from '../support/factories.ts';
import { startApi, type TestApi, until } from '../support/harness.ts';

const LITELLM = process.env.LITELLM ?? 'litellm';
const isThere = spawnSync(LITELLM, ['--help'], { stdio: 'ignore' }).status === 0;

/** The cost of one call: 1,000 tokens in and 100 out, at the prices of the configuration. */
const COST_USD = 0.02;
const MASTER_KEY = 'sk-master-of-the-test';

/** A model that counts its calls; a prompt with "fail" fails, and one with "break" breaks its stream. */
function startModel(): Server & { served: number } {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const { stream, messages } = JSON.parse(body || '{}');
    if (!messages) return void res.writeHead(404).end();
    if (JSON.stringify(messages).includes('fail'))
      return void res.writeHead(500).end('{"error":{"message":"no"}}');
    counted.served += 1;
    const id = `chatcmpl-${counted.served}`;
    const head = { id, created: 1, model: 'm' };
    const message = { role: 'assistant', content: 'hello' };
    if (!stream) {
      res.setHeader('Content-Type', 'application/json');
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return void res.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    }
    res.setHeader('Content-Type', 'text/event-stream');
    if (JSON.stringify(messages).includes('break')) {
      const broken = { ...head, object: 'chat.completion.chunk' };
      const part = JSON.stringify({ ...broken, choices: [{ index: 0, delta: message }] });
      return void res.write(`data: ${part}\n\n`, () => res.destroy());
    }
    const chunk = { ...head, object: 'chat.completion.chunk' };
    for (const part of [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage },
    ])
      res.write(`data: ${JSON.stringify(part)}\n\n`);
    res.end('data: [DONE]\n\n');
  };
  const server = createServer((req, res) => void answer(req, res));
  const counted = Object.assign(server, { served: 0 });
  return counted;
}

describe('the hook of the LiteLLM proxy', () => {
  let api: TestApi;
  let key: string;
  let orgId: string;
  let model: ReturnType<typeof startModel>;
  let proxy: ChildProcess;
  let url: string;
  let folder: string;
  let written = '';

  beforeEach(({ skip }) => {
    if (!isThere)
      skip('there is no LiteLLM (pip install "litellm[proxy]==1.108.7", or its binary in LITELLM)');
  });
  beforeAll(async () => {
    if (!isThere) return;
    api = await startApi();
    ({ key, orgId } = await makeTenant(api.ctx));
    model = startModel();
    model.listen(0, '127.0.0.1');
    await once(model, 'listening');
    folder = mkdtempSync(join(tmpdir(), 'usage-governor-litellm-'));
    const params = [
      'model: openai/m',
      `api_base: http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      'api_key: sk-model',
      'input_cost_per_token: 0.00001',
      'output_cost_per_token: 0.0001',
    ];
    const config = [
      'model_list:',
      '  - model_name: priced',
      '    litellm_params:',
      ...params.map((line) => `      ${line}`),
      'litellm_settings:',
      '  callbacks: ["usage_governor_litellm.governor"]',
      '  num_retries: 0',
      'general_settings:',
      `  master_key: ${MASTER_KEY}`,
    ];
    writeFileSync(join(folder, 'config.yaml'), `${config.join('\n')}\n`);
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    const gateway = await createApiKey(api.ctx, {
      org_id: orgId,
      scopes: ['signals:write', 'budgets:check', 'usage:read'],
    });
    proxy = spawn(
      LITELLM,
      ['--config', join(folder, 'config.yaml'), '--port', String(port), '--host', '127.0.0.1'],
      {
        cwd: folder,
        env: {
          ...process.env,
          PYTHONPATH: resolve('packages/litellm-governor'),
          GOVERNOR_API: api.url,
          GOVERNOR_API_KEY: gateway.key,
          LITELLM_TELEMETRY: 'False',
          NO_PROXY: '127.0.0.1',
        },
      },
    );
    for (const stream of [proxy.stdout, proxy.stderr])
      stream?.on('data', (chunk) => {
        written += chunk;
      });
    await until(async () => (await fetch(`${url}/health/liveliness`).catch(() => null))?.ok === true, {
      timeoutMs: 120_000,
      what: 'the LiteLLM proxy',
    });
  }, 180_000);
  afterAll(async () => {
    proxy?.kill('SIGTERM');
    if (proxy && proxy.exitCode === null) await once(proxy, 'exit');
    model?.close();
    await api?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'priced', ...body }),
    });
  const ask = (prompt: string, more: object = {}, headers: Record<string, string> = {}) => {
    const messages = [{ role: 'user', content: prompt }];
    // Nobody is charged for what a body claims.
    const body = { messages, max_tokens: 100, user: 'somebody-else', ...more };
    return post('chat/completions', body, headers);
  };
  const sums = async () => (await api.call('/api/v1/usage?group_by=user_id', { key })).body;
  const reserved = async () =>
    (await api.call('/api/v1/budgets', { key })).body.data.reduce(
      (sum: number, budget: { reserved: number }) => sum + budget.reserved,
      0,
    );

  test('reports a call, streamed or not, with its cost for the user of the virtual key', async () => {
    const plain = await ask('hello');
    expect(plain.status, await plain.clone().text()).toBe(200);
    expect(plain.headers.get('x-governor-reservation')).toMatch(/^res_/);
    const streamed = await ask('hello', { stream: true, stream_options: { include_usage: true } });
    expect(await streamed.text()).toContain('[DONE]');
    await until(async () => (await sums()).totals.signals === 2);
    const usage = await sums();
    expect(usage.totals).toMatchObject({ cost_usd: 2 * COST_USD, tokens_in: 2_000, tokens_out: 200 });
    expect(usage.groups.map((group: { key: object }) => group.key)).toEqual([{ user_id: 'default_user_id' }]);
    const { groups } = (await api.call('/api/v1/usage?group_by=model', { key })).body;
    expect(groups.map((group: { key: object }) => group.key)).toEqual([{ model: 'm' }]);
  });

  test('reports a failed call once, and a broken stream with its tokens', async () => {
    const before = (await sums()).totals;
    expect((await ask('fail')).status).toBe(500);
    await (await ask('break', { stream: true })).text();
    const { totals } = await until(async () => {
      const now = await sums();
      return now.totals.errors === 2 ? now : null;
    });
    expect(totals.signals).toBe(before.signals + 2);
    expect(totals.tokens_out).toBeGreaterThan(before.tokens_out);
  });

  test('reserves in a budget that names the model which an alias of the proxy stands for', async () => {
    const filter = { models: ['m'], providers: ['openai'], adapters: ['litellm'] };
    const budget = { name: 'm', scope: 'org', metric: 'cost_usd', threshold: 0.001, window: 'monthly' };
    const created = await api.call('/api/v1/budgets', { key, body: { ...budget, enforce: 'hard', filter } });
    const before = model.served;
    expect((await ask('hello')).status).toBe(403);
    expect(model.served).toBe(before);
    await api.call(`/api/v1/budgets/${created.body.id}`, { key, method: 'DELETE' });
  });

  test('lets no two calls pass as one: an id that a client gives its call is refused', async () => {
    const before = model.served;
    const headers = { 'X-LiteLLM-Call-Id': 'chosen-by-the-client' };
    const answers = await Promise.all([1, 2, 3].map(() => ask('hello', {}, headers)));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await answers[0]?.text()).toContain('Leave x-litellm-call-id out');
    expect(model.served).toBe(before);
  });

  const messages = [{ role: 'user', content: 'hello' }];
  const much = 'word '.repeat(10_000);
  test.each([
    [
      'the highest of several limits',
      'chat/completions',
      { max_completion_tokens: 1, max_tokens: 1_000, messages },
    ],
    ['the system prompt of a message', 'messages', { system: much, messages, max_tokens: 1 }],
    [
      'the instructions of a response',
      'responses',
      { instructions: much, input: 'hello', max_output_tokens: 1 },
    ],
  ])('reserves for %s', async (_, path, body) => {
    const budget = { name: 'small', scope: 'org', metric: 'cost_usd', window: 'monthly', enforce: 'hard' };
    const threshold = (await sums()).totals.cost_usd + 0.05;
    const created = await api.call('/api/v1/budgets', { key, body: { ...budget, threshold } });
    const before = model.served;
    expect((await post(path, body)).status).toBe(403);
    expect(model.served).toBe(before);
    await api.call(`/api/v1/budgets/${created.body.id}`, { key, method: 'DELETE' });
  });

  test('refuses a model that the service has no price for, where a budget asks for one, and notes the session', async () => {
    const budget = { name: 'priced', scope: 'org', metric: 'cost_usd', threshold: 100, window: 'monthly' };
    const asked = { ...budget, enforce: 'hard', unpriced: 'refuse' };
    const created = await api.call('/api/v1/budgets', { key, body: asked });
    const before = model.served;
    const refused = await ask('hello', { metadata: { session_id: 'of the metadata' } });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('has no price');
    expect(model.served).toBe(before);
    const named = async () =>
      (await api.call('/api/v1/refusals', { key })).body.data[0]?.client_session_id as string;
    expect(await named()).toBe('of the metadata');
    expect((await ask('hello', { litellm_session_id: 'of the body' })).status).toBe(403);
    expect(await named()).toBe('of the body');
    await api.call(`/api/v1/budgets/${created.body.id}`, { key, method: 'DELETE' });
  });

  test('releases what a failed call held, and never passes a limit with calls side by side', async () => {
    const { totals } = await sums();
    const budget = {
      name: 'gateway',
      scope: 'org',
      metric: 'cost_usd',
      threshold: totals.cost_usd + 10 * COST_USD,
      window: 'monthly',
      enforce: 'hard',
    };
    await api.call('/api/v1/budgets', { key, body: budget });
    const failed = await ask('fail');
    expect(failed.status).toBe(500);
    await until(async () => (await reserved()) === 0);
    const before = model.served;
    const prompt = 'word '.repeat(980);
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(prompt)));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused.length + model.served - before).toBe(30);
    expect(model.served - before).toBeLessThanOrEqual(10);
    expect(model.served - before).toBeGreaterThan(5);
    expect(bodies.find((body) => body.includes('budget_refused'))).toMatch(/of \$[0-9.]+ left/);
  });

  test('writes neither prompts nor keys', () => {
    expect(written).not.toContain('word word');
    expect(written).not.toContain('ugk_');
  });
});
