import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { listen, temporaryFolder } from '../support/temporary.ts';

const { api, ask: read, keyOf, remove } = await fixture();

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
    const head = { id: `chatcmpl-${counted.served}`, created: 1, model: 'm' };
    const message = { role: 'assistant', content: 'hello' };
    if (!stream) {
      res.setHeader('Content-Type', 'application/json');
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return void res.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    }
    res.setHeader('Content-Type', 'text/event-stream');
    const part = (more: object) =>
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...more })}\n\n`;
    const begun = part({ choices: [{ index: 0, delta: message, finish_reason: null }] });
    if (JSON.stringify(messages).includes('break')) return void res.write(begun, () => res.destroy());
    const over = part({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    res.end(`${begun}${over}${part({ choices: [], usage })}data: [DONE]\n\n`);
  };
  const server = createServer((req, res) => void answer(req, res));
  const counted = Object.assign(server, { served: 0 });
  return counted;
}

const model = startModel();
const modelUrl = await listen(model, afterAll);
const folder = temporaryFolder(afterAll);

describe('the hook of the LiteLLM proxy', () => {
  let proxy: ChildProcess;
  let url: string;
  let written = '';

  beforeEach(({ skip }) => {
    if (!isThere)
      skip('there is no LiteLLM (pip install "litellm[proxy]==1.108.7", or its binary in LITELLM)');
  });
  beforeAll(async () => {
    if (!isThere) return;
    const config = `
model_list:
  - model_name: priced
    litellm_params:
      model: openai/m
      api_base: ${modelUrl}/v1
      api_key: sk-model
      input_cost_per_token: 0.00001
      output_cost_per_token: 0.0001
litellm_settings:
  callbacks: ["usage_governor_litellm.governor"]
  num_retries: 0
general_settings:
  master_key: ${MASTER_KEY}
`;
    writeFileSync(join(folder, 'config.yaml'), config);
    const port = String(await findFreePort());
    url = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      PYTHONPATH: resolve('packages/litellm-governor'),
      GOVERNOR_API: api.url,
      GOVERNOR_API_KEY: await keyOf(null, ['signals:write', 'budgets:check', 'usage:read']),
      LITELLM_TELEMETRY: 'False',
      NO_PROXY: '127.0.0.1',
    };
    const args = ['--config', join(folder, 'config.yaml'), '--port', port, '--host', '127.0.0.1'];
    proxy = spawn(LITELLM, args, { cwd: folder, env });
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
  const sums = () => read('/api/v1/usage?group_by=user_id');
  const reserved = async () =>
    (await read('/api/v1/budgets')).data.reduce(
      (sum: number, budget: { reserved: number }) => sum + budget.reserved,
      0,
    );
  /** A hard budget of this month until the test ends. */
  const limit = async (threshold: number, more: object = {}) => {
    const fields = { ...BUDGET, threshold, window: 'monthly', enforce: 'hard', ...more };
    const { id } = await read('/api/v1/budgets', fields);
    onTestFinished(async () => void (await remove(`/api/v1/budgets/${id}`)));
  };
  /** Expects that a call is answered so, and that the model does not hear of it. */
  const expectRefused = async (call: () => Promise<Response>, status = 403) => {
    const before = model.served;
    const answer = await call();
    expect([answer.status, model.served]).toEqual([status, before]);
    return answer.text();
  };

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
    const { groups } = await read('/api/v1/usage?group_by=model');
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
    await limit(0.001, { filter: { models: ['m'], providers: ['openai'], adapters: ['litellm'] } });
    await expectRefused(() => ask('hello'));
  });

  test('lets no two calls pass as one: an id that a client gives its call is refused', async () => {
    const headers = { 'X-LiteLLM-Call-Id': 'chosen-by-the-client' };
    const calls = [1, 2, 3].map(() => expectRefused(() => ask('hello', {}, headers), 400));
    for (const text of await Promise.all(calls)) expect(text).toContain('Leave x-litellm-call-id out');
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
    await limit((await sums()).totals.cost_usd + 0.05);
    await expectRefused(() => post(path, body));
  });

  test('refuses a model that the service has no price for, where a budget asks for one, and notes the session', async () => {
    await limit(100, { unpriced: 'refuse' });
    for (const [named, more] of [
      ['of the metadata', { metadata: { session_id: 'of the metadata' } }],
      ['of the body', { litellm_session_id: 'of the body' }],
    ] as const) {
      expect(await expectRefused(() => ask('hello', more))).toContain('has no price');
      expect((await read('/api/v1/refusals')).data[0]?.client_session_id).toBe(named);
    }
  });

  test('releases what a failed call held, and never passes a limit with calls side by side', async () => {
    await limit((await sums()).totals.cost_usd + 10 * COST_USD);
    expect((await ask('fail')).status).toBe(500);
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
