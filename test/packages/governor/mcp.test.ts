import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { bareEnv } from '../../support/bare-env.ts';
import { fixture } from '../../support/fixture.ts';
import { listen } from '../../support/temporary.ts';

const { api, key, orgId } = await fixture();

const MAIN = 'packages/governor/src/main.ts';
const environment = (url = api.url) => ({ ...bareEnv(), GOVERNOR_API: url, GOVERNOR_API_KEY: key });

/** The command, fed with lines. All that it wrote, once its input has ended. */
async function relayed(lines: readonly string[], url?: string) {
  const child: ChildProcess = spawn(process.execPath, [MAIN, 'mcp'], { env: environment(url) });
  const answers: string[] = [];
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => answers.push(line));
  child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = await once(child, 'close');
  return { code, stderr, answers: answers.map((line) => JSON.parse(line)) };
}

const callOf = (id: number, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });

test('the official client runs it: handshake, list, call, and it ends with its input', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const program = { command: process.execPath, args: [MAIN, 'mcp'], env: environment() };
  await client.connect(new StdioClientTransport(program));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('reserve_spend');
  const { structuredContent } = await client.callTool({ name: 'whoami', arguments: {} });
  expect(structuredContent).toMatchObject({ org_id: orgId });
  await client.close();
});

test('sends a message of the newest revision with the headers that it implies, and answers all before it ends', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const ask = (id: number, name: string) => callOf(id, { name, arguments: {}, _meta });
  const { code, stderr, answers } = await relayed([ask(1, 'whoami'), ask(2, 'get_usage'), ask(3, 'wörk')]);
  expect([code, stderr]).toEqual([0, '']);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  expect(byId.get(1).result.structuredContent).toMatchObject({ org_id: orgId });
  expect(byId.get(2).result.structuredContent.totals.signals).toBe(0);
  expect(byId.get(3).error.code).toBe(-32_602);
});

test('takes a message with a line separator of Unicode as one line, answers what is not JSON, and no notification', async () => {
  const call = callOf(1, { name: 'get_usage', arguments: { user_id: 'a\u2028b' } });
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const { answers } = await relayed([call, '{', '[]', notification]);
  const said = answers.map(
    ({ id, result, error }) => `${id} ${error?.code ?? result.structuredContent.totals.signals}`,
  );
  expect(new Set(said)).toEqual(new Set(['1 0', 'null -32600', 'null -32700']));
});

test('says of each request that the api is away, and never shows the key', async () => {
  const line = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}';
  const refusing = createServer((_req, res) => res.writeHead(502).end('<h1>Bad gateway</h1>'));
  const bad = await relayed([line], await listen(refusing));
  const away = await relayed([line], 'http://127.0.0.1:1');
  for (const { code, answers, stderr } of [bad, away]) {
    expect([code, answers[0].id, answers[0].error.code]).toEqual([0, 'a', -32_000]);
    expect(JSON.stringify(answers) + stderr).not.toContain(key);
  }
});
