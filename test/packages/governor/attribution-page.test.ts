import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readFixture } from '../../shared/core/calls/adapters/fixtures.ts';
import { bytesOf } from '../../shared/core/calls/adapters/otlp-messages.ts';
import { type AgentHome, makeAgentHome } from '../../support/agent-home.ts';
import { makeSignal, makeTenant } from '../../support/factories.ts';
import { fixture } from '../../support/fixture.ts';
import { createTestClock, startApi } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/temporary.ts';

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
let home: AgentHome;
let checkout: string;
beforeEach(async () => {
  home = makeAgentHome(temporaryFolder(), { GOVERNOR_API: fx.api.url, GOVERNOR_API_KEY: fx.key });
  checkout = join(home.folder, 'shop');
  mkdirSync(checkout);
  await shell('git init -q -b main && git remote add origin https://ada:secret@GitHub.com/Acme/Shop.git');
  await shell('git commit -q --allow-empty -m one');
});

/** Runs commands in the checkout, as a person or an agent types them. */
const shell = (commands: string, more: Record<string, string> = {}) =>
  home.run(checkout, ['sh', '-ec', commands], more);

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
    const variables = join(home.folder, 'env.sh');
    const session = "s'1";
    const said = { session_id: session, cwd: checkout };
    await runHook(settings, 'SessionStart', said, { CLAUDE_ENV_FILE: variables });
    await spend(session);
    const own = `. ${variables}`;
    await shell(`${own}\ngit checkout -q -b cart`);
    await spend(session);
    await shell(
      `${own}\ngit commit -q --allow-empty -m two\ngit checkout -q main\ngit merge -q --no-edit cart`,
    );
    await spend(session);
    // Without git's hooks the agent's own report the next branch.
    await shell('git -c core.hooksPath=/dev/null checkout -q -b search');
    for (const event of ['UserPromptSubmit', 'PostToolUse', 'CwdChanged'])
      await runHook(settings, event, said);
    await spend(session);
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

  /** Another api at another time, its key, and the variables of a person who uses it. */
  async function apiAt(time: string) {
    const api = await startApi({ clock: createTestClock(Date.parse(time)) });
    onTestFinished(() => api.close());
    const { key } = await makeTenant(api.ctx);
    return { api, key, as: { GOVERNOR_API: api.url, GOVERNOR_API_KEY: key } };
  }

  it('shows a request that gives calls of its client session to a branch', async () => {
    const { api, key, as } = await apiAt('2026-01-12T12:00:00Z');
    const ts = Date.parse('2026-01-12T10:05:00Z');
    const signal = makeSignal({ ts, cost_usd: 1, metadata: { client_session_id: '3f6c' } });
    await api.call('/api/v1/signals', { key, body: { signals: [signal] } });
    const answer = JSON.parse(await shell(block('/api/v1/contexts'), as));
    expect(answer).toEqual({ results: [{ status: 'accepted' }], moved: 1, moving: false });
    expect(await costs(as)).toEqual({ cart: 1 });
  });

  it('names a place by attributes of OpenTelemetry that a shell and the adapters read', async () => {
    const text = await shell(`export ${block('OTEL_RESOURCE_ATTRIBUTES=')}printenv OTEL_RESOURCE_ATTRIBUTES`);
    const pairs = text.trim().split(',');
    const named = Object.fromEntries(pairs.map((one) => one.split('=')));
    const told = readFixture('semconv');
    const resource = { ...told.resource, ...named };
    const { api, key, as } = await apiAt('2026-11-22T12:00:00Z');
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-protobuf' };
    const body = bytesOf({ ...told, resource, records: told.records.slice(0, 1) }, 'protobuf');
    const answer = await fetch(`${api.url}/otlp/v1/traces`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(Object.keys(await costs(as))).toEqual(['main']);
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
  const input = JSON.stringify({ ...said, hook_event_name: event });
  for (const command of commands)
    expect(await home.start(['sh', '-c', command], home.folder, input, more)).toMatchObject({ code: 0 });
}
