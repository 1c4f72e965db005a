import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { readFixture } from '../../shared/core/calls/adapters/fixtures.ts';
import { bytesOf } from '../../shared/core/calls/adapters/otlp-messages.ts';
import { bareEnv } from '../../support/bare-env.ts';
import { makeSignal, makeTenant } from '../../support/factories.ts';
import { fixture } from '../../support/fixture.ts';
import { createTestClock, startApi } from '../../support/harness.ts';

const MAIN = new URL('../../../packages/governor/src/main.ts', import.meta.url).pathname;

/** The blocks of the page, as people paste them. */
const PAGE = readFileSync(new URL('../../../docs/attribution.md', import.meta.url), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
const ran = new Set<string>();

/** The block that has this text. */
function block(text: string): string {
  const found = BLOCKS.filter((one) => one.includes(text));
  expect(found, text).toHaveLength(1);
  ran.add(found[0] ?? '');
  return found[0] ?? '';
}

// The command line sends the time of its machine.
const fx = await fixture({ perTest: true });
let root: string;
let checkout: string;
let env: Record<string, string>;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'governor-page-'));
  checkout = join(root, 'shop');
  for (const folder of ['bin', 'shop']) mkdirSync(join(root, folder));
  const program = `#!/bin/sh\nexec "${process.execPath}" --no-warnings "${MAIN}" "$@"\n`;
  writeFileSync(join(root, 'bin', 'governor'), program, { mode: 0o755 });
  env = {
    ...bareEnv(),
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    HOME: root,
    XDG_STATE_HOME: join(root, 'state'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GOVERNOR_API: fx.api.url,
    GOVERNOR_API_KEY: fx.key,
  };
  await shell('git init -q -b main && git remote add origin https://ada:secret@GitHub.com/Acme/Shop.git');
  await shell('git config user.name Ada && git config user.email ada@example.org');
  await shell('git commit -q --allow-empty -m one');
  return () => rmSync(root, { recursive: true, force: true });
});

/** Runs commands in the checkout, as a person or an agent types them. */
async function shell(commands: string, more: Record<string, string> = {}): Promise<string> {
  const options = { cwd: checkout, env: { ...env, ...more } };
  return (await promisify(execFile)('sh', ['-ec', commands], options)).stdout;
}

/** Runs one command with this on its input. */
function pipe(command: string, input: object, more: Record<string, string> = {}): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { cwd: root, env: { ...env, ...more }, stdio: 'pipe' });
    child.on('close', resolve);
    child.stdin.end(JSON.stringify(input));
  });
}

/** One call of a client session, as of now. */
const spend = (session: string) => fx.spend({ cost_usd: 1, metadata: { client_session_id: session } });

interface Group {
  key: Record<string, string | null>;
  cost_usd: number;
}

/** Cost by branch, as the page asks for it. On a slow machine a hook gives up: what it told goes with the next one. */
async function costs(more: Record<string, string> = {}): Promise<Record<string, number>> {
  await shell('governor context --session another');
  const { groups } = JSON.parse(await shell(block('usage?group_by=branch'), more)) as { groups: Group[] };
  return Object.fromEntries(groups.map(({ key: of, cost_usd }) => [String(of.branch), cost_usd]));
}

// Each command is a process, and a busy machine starts one in seconds.
describe('docs/attribution.md', () => {
  it('with its hooks of Claude Code and git, as they stand, gives each call to the branch of its moment', async () => {
    for (const name of ['post-checkout', 'post-commit', 'post-merge'])
      writeFileSync(join(checkout, '.git', 'hooks', name), block('#!/bin/sh'), { mode: 0o755 });
    const settings = block('CwdChanged');
    const variables = join(root, 'env.sh');
    const said = { session_id: 's-1', cwd: checkout };
    await runHook(settings, 'SessionStart', said, { CLAUDE_ENV_FILE: variables });
    await spend('s-1');
    const own = `. ${variables}`;
    await shell(`${own}\ngit checkout -q -b cart`);
    await spend('s-1');
    await shell(
      `${own}\ngit commit -q --allow-empty -m two\ngit checkout -q main\ngit merge -q --no-edit cart`,
    );
    await spend('s-1');
    // Without git's hooks the agent's own report the next branch.
    await shell('git -c core.hooksPath=/dev/null checkout -q -b search');
    for (const event of ['UserPromptSubmit', 'PostToolUse', 'CwdChanged'])
      await runHook(settings, event, said);
    await spend('s-1');
    expect(await costs()).toEqual({ main: 2, cart: 1, search: 1 });
  });

  it('with its hooks of Codex gives each call to the branch of its moment', async () => {
    const settings = BLOCKS.filter((one) => one.includes('PostToolUse')).at(-1) ?? '';
    ran.add(settings);
    for (const [event, branch] of [
      ['SessionStart', 'one'],
      ['UserPromptSubmit', 'two'],
      ['PostToolUse', 'three'],
    ] as const) {
      await shell(`git checkout -q -b ${branch}`);
      await runHook(settings, event, { session_id: 'codex-1', cwd: checkout });
      await spend('codex-1');
    }
    expect(await costs()).toEqual({ one: 1, two: 1, three: 1 });
  });

  it('with its commands gives calls to a task and takes it back', async () => {
    const own = { GOVERNOR_CLIENT_SESSION: 's-2' };
    const [task = '', noTask = ''] = block('--no-task').trim().split('\n');
    await shell(task, own);
    await spend('s-2');
    await shell(noTask, own);
    await spend('s-2');
    const { groups } = await fx.ask('/api/v1/usage?group_by=task');
    const byTask = (groups as Group[]).map((group) => [String(group.key.task), group.cost_usd]);
    expect(Object.fromEntries(byTask)).toEqual({ 'SHOP-412': 1, null: 1 });
    expect(await costs()).toEqual({ main: 2 });
  });

  it('shows a request that gives calls of its client session to a branch', async () => {
    const clock = createTestClock(Date.parse('2026-01-12T12:00:00Z'));
    const then = await startApi({ clock });
    try {
      const tenant = await makeTenant(then.ctx);
      const as = { GOVERNOR_API: then.url, GOVERNOR_API_KEY: tenant.key };
      const ts = Date.parse('2026-01-12T10:05:00Z');
      const signal = makeSignal({ ts, cost_usd: 1, metadata: { client_session_id: '3f6c' } });
      await then.call('/api/v1/signals', { key: tenant.key, body: { signals: [signal] } });
      const answer = JSON.parse(await shell(block('/api/v1/contexts'), as));
      expect(answer).toEqual({ results: [{ status: 'accepted' }], moved: 1, moving: false });
      expect(await costs(as)).toEqual({ cart: 1 });
    } finally {
      await then.close();
    }
  });

  it('names a place by attributes of OpenTelemetry that a shell and the adapters read', async () => {
    const text = await shell(`export ${block('OTEL_RESOURCE_ATTRIBUTES=')}printenv OTEL_RESOURCE_ATTRIBUTES`);
    const named = Object.fromEntries(
      text
        .trim()
        .split(',')
        .map((one) => one.split('=')),
    );
    const fixture = readFixture('semconv');
    const spans = {
      ...fixture,
      resource: { ...fixture.resource, ...named },
      records: fixture.records.slice(0, 1),
    };
    const then = await startApi({ clock: createTestClock(Date.parse('2026-11-22T12:00:00Z')) });
    try {
      const tenant = await makeTenant(then.ctx);
      const headers = { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/x-protobuf' };
      const body = bytesOf(spans, 'protobuf');
      const answer = await fetch(`${then.url}/otlp/v1/traces`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      const as = { GOVERNOR_API: then.url, GOVERNOR_API_KEY: tenant.key };
      expect(Object.keys(await costs(as))).toEqual(['main']);
    } finally {
      await then.close();
    }
  });

  it('has no other block', () => {
    expect(BLOCKS.filter((one) => !ran.has(one))).toEqual([]);
  });
});

/** Runs the commands of one event of an agent's settings, as it does. */
async function runHook(
  settings: string,
  event: string,
  said: { session_id: string; cwd: string },
  more: Record<string, string> = {},
): Promise<void> {
  const { hooks } = JSON.parse(settings) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  const commands = (hooks[event] ?? []).flatMap((entry) => entry.hooks.map(({ command }) => command));
  expect(commands, event).not.toEqual([]);
  for (const command of commands)
    expect(await pipe(command, { ...said, hook_event_name: event }, more)).toBe(0);
}
