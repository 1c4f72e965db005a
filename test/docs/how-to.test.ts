import { execFile } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../packages/stack/files.ts';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type Environment, environmentOf } from '../../packages/stack/read-run.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { type DashboardStack, startDashboard } from '../support/dashboard-stack.ts';
import { newFolder } from '../support/destinations.ts';
import { until } from '../support/harness.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { listen, temporaryFolder } from '../support/temporary.ts';
import { newDataDir, pressCtrlC, runUp, type UpRun, untilReady } from '../support/up-run.ts';

const FOLDER = 'docs/how-to';
const PAGES = globSync('*.md', { cwd: join(ROOT, FOLDER) }).toSorted();
const readPage = (page: string) => readFileSync(join(ROOT, FOLDER, page), 'utf8');

/** The commands of a page that are meant to be run as they are. */
function commandsOf(page: string): string[] {
  return [...readPage(page).matchAll(/^```sh run\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
}

/** The first block of a page in a language. */
function blockOf(page: string, language: 'json' | 'python' | 'sh'): string {
  const [, block = ''] = readPage(page).split(`
\`\`\`${language}
`);
  return block.slice(0, block.indexOf('```'));
}

describe.each(PAGES)('docs/how-to/%s', (page) => {
  test('is at most 120 lines of numbered steps', () => {
    const text = readPage(page);
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(120);
    const steps = [...text.matchAll(/^## (.*)$/gm)].map(([, step = '']) => Number.parseInt(step, 10));
    expect(steps).toEqual(steps.map((_, index) => index + 1));
    expect(steps.length).toBeGreaterThanOrEqual(4);
  });

  test('has commands to run, without a placeholder', () => {
    const commands = commandsOf(page).join('\n');
    expect(commands).not.toBe('');
    expect(commands).not.toMatch(/…|\bHOST\b|\bUSER\b|YOUR|example\.com|<[a-z -]+>/);
  });
});

/** Runs commands as a person in the checkout who has nothing but these variables. */
async function follow(commands: readonly string[], variables: Environment): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
    cwd: ROOT,
    env: { PATH, HOME, ...variables },
    timeout: 240_000,
  });
  return stdout;
}

describe('the commands of docs/how-to on the demo organization, as README starts it', () => {
  const dataDir = newDataDir();
  let up: UpRun;
  let slack: Receiver;
  let variables: Environment;
  beforeAll(async () => {
    const port = String(await findFreePort());
    up = runUp(['--port', port, '--data', dataDir, '--json'], { WORKER_PORT: '0' });
    slack = await startReceiver();
    const { api, orgs } = await untilReady(up, 200_000);
    const [acme] = orgs;
    const given = { API: api, KEY: acme?.api_key, ORG: acme?.org_id, SLACK_URL: slack.url };
    const PERSON = acme?.members[0]?.session_token ?? undefined;
    variables = { ...environmentOf({}, dataDir), ...given, PERSON };
  }, 240_000);
  afterAll(async () => {
    await pressCtrlC(up);
    await slack?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test.each(PAGES)('%s can be followed literally', { timeout: 300_000 }, async (page) => {
    const name = basename(page, '.md');
    const { [name]: expected } = { ...OUTCOMES, ...DEMO_OUTCOMES };
    expect(await follow(commandsOf(page), variables)).toMatch(expected ?? /./);
  });
});

describe('the commands of docs/how-to', () => {
  let stack: DashboardStack;
  let slack: Receiver;
  beforeAll(async () => {
    const env = { EXPORT_FOLDER: newFolder() };
    [stack, slack] = await Promise.all([startDashboard(env), startReceiver()]);
    const ts = Date.now() - 86_400_000;
    await stack.report({ ts, project_id: 'costs', adapter: 'codex', cost_usd: 0.25 });
  }, 120_000);
  afterAll(async () => {
    await stack?.stop();
    await slack?.close();
  });

  const run = async (commands: readonly string[], more: Record<string, string> = {}): Promise<string> => {
    const given = { API: stack.url, KEY: stack.key, ORG: stack.orgId, SLACK_URL: slack.url };
    return follow(commands, { ...stack.env, ...given, PERSON: await stack.tokenOf('grace'), ...more });
  };

  test.each(PAGES)('%s can be followed literally, and again', { timeout: 600_000 }, async (page) => {
    for (const time of ['once', 'again']) {
      const messages = slack.received.length;
      const said = await run(commandsOf(page));
      const { [basename(page, '.md')]: expected } = OUTCOMES;
      expect(said, time).toMatch(expected ?? /./);
      // The calls of pages are of whole seconds: those of the next time come after what the page has ended.
      const endedS = Math.floor(Date.now() / 1_000);
      await until(() => Date.now() / 1_000 > endedS + 1);
      if (page === 'slack-alerts.md') expect(slack.received.length).toBe(messages + 1);
    }
  });

  test('leave what they say: sessions of the app and of the team, a budget that is used up, one channel', async () => {
    const get = async (path: string) => {
      const answer = await fetch(stack.url + path, { headers: { Authorization: `Bearer ${stack.key}` } });
      return ((await answer.json()) as { data: Record<string, unknown>[] }).data;
    };
    const call = { user_id: 'ada', model: 'gpt-5', signal_count: 2, tokens_in: 2_400, cost_usd: 0.0048 };
    expect(await get('/api/v1/sessions?project_id=my-app')).toMatchObject([call]);
    const team = await get('/api/v1/sessions?adapter=claude-code');
    expect(team).toMatchObject([{ model: 'claude-sonnet-4-5' }]);
    const used = { enforce: 'hard', current: 0.04, state: 'exceeded' };
    const budgets = await get('/api/v1/budgets');
    expect(budgets.filter(({ name }) => name === 'A first budget')).toMatchObject([used]);
    expect((await get('/api/v1/webhooks')).filter(({ format }) => format === 'slack')).toHaveLength(1);
    expect(slack.received[0]?.body).toContain('Test message');
  });

  test('have settings that hold as they stand: the file that the command makes, and a hook that refuses', async () => {
    const made = await run(commandsOf('connect-your-team.md'));
    const namesIn = (file: string) => Object.keys(JSON.parse(file).env);
    const shown = namesIn(blockOf('connect-your-team.md', 'json'));
    expect(namesIn(made.slice(0, made.lastIndexOf('}') + 1))).toEqual(shown);
    const scopes = ['budgets:check' as const];
    const { key } = await createApiKey(stack.ctx, { org_id: stack.orgId, scopes, user_id: 'first-budget' });
    const file = blockOf('first-budget.md', 'json').replace('https://HOST', stack.url);
    const [{ hooks }] = JSON.parse(file.replace('$GOVERNOR_API_KEY', key)).hooks.PreToolUse;
    const [{ url, headers }] = hooks;
    const call = { session_id: 's', transcript_path: '/t', cwd: '/c', permission_mode: 'default' };
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...call, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {} }),
    });
    expect(await answer.json()).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  test('have a Python program that reports its call as it stands', { timeout: 600_000 }, async ({ skip }) => {
    const page = 'connect-an-app.md';
    const folder = temporaryFolder();
    const PATH = `${folder}/venv/bin:${process.env.PATH}`;
    const install = `python3 -m venv ${folder}/venv && ${blockOf(page, 'sh')}`;
    const pip = { PIP_CONSTRAINT: join(ROOT, 'test/docs/python-versions.txt'), PIP_NO_COMPILE: '1' };
    const isInstalled = await promisify(execFile)('bash', ['-euc', install], {
      env: { ...process.env, PATH, VIRTUAL_ENV: `${folder}/venv`, ...pip },
    }).catch(() => null);
    if (!isInstalled) skip('python3 with venv and pip, or its package index, is not there');
    const model = createServer((_, answer) => {
      answer.setHeader('Content-Type', 'application/json');
      answer.end(JSON.stringify(COMPLETION));
    });
    const openai = { OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: `${await listen(model)}/v1` };
    writeFileSync(join(folder, 'app.py'), blockOf(page, 'python'));
    const [variables = ''] = commandsOf(page);
    const said = await run([variables, `cd ${folder}`, 'python app.py'], { ...openai, PATH });
    expect(said).toBe('Hello from Python.\n');
    const call = await signalRows(stack.ctx).findOne({ org_id: stack.orgId, tokens_in: 1_300 });
    expect(call).toMatchObject({ user_id: 'ada', model: 'gpt-5-mini', project_id: 'my-app', tokens_out: 70 });
    expect(JSON.stringify(call)).not.toMatch(/hello/i);
  });
});

/** The model's answer. */
const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5-mini',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello from Python.' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 1_300, completion_tokens: 70, total_tokens: 1_370 },
};

/** The same where the demo's people and calls are in it. */
const DEMO_OUTCOMES: Record<string, RegExp> = {
  // Everybody has sent calls.
  'connect-your-team': /"OTEL_LOGS_EXPORTER": "otlp"[\s\S]*\ntrue\n/,
  'costs-to-a-bucket': /state: succeeded[\s\S]*"the same: [\d.]+ USD"\n$/,
};

/** Output of the commands of a page when they have worked. */
const OUTCOMES: Record<string, RegExp> = {
  'connect-an-app': /"signal_count": \d/,
  'connect-your-team': /"OTEL_LOGS_EXPORTER": "otlp"[\s\S]*\ntrue\ntom\ttom@acme\.example\n$/,
  // A month of which no day is over has no file yet.
  'costs-to-a-bucket': /state: succeeded[\s\S]*"the same: 0(\.25)? USD"\n$/,
  deploy: /"status": "[a-z]+"[\s\S]*true\ntrue\n$/,
  'first-budget': /exit code 2\n$/,
  'prices-of-your-own':
    /has no price[\s\S]*\$0\.260000000, by the price rule Our own GPUs[\s\S]*1 of 1 calls change[\s\S]*Applied: rpc_/,
  'slack-alerts': /"status": 200/,
};
