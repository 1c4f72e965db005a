import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkCall, targetOf } from '../../../packages/governor/src/check.ts';
import { examine, type Finding } from '../../../packages/governor/src/doctor/doctor.ts';
import type { Machine } from '../../../packages/governor/src/doctor/hook.ts';
import { type AgentHome, makeAgentHome } from '../../support/agent-home.ts';
import { fixture } from '../../support/fixture.ts';
import { until } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { api, send, budget, keyOf, tenant } = await fixture();
/** Bound to ada, whose hard budget has room. */
let key: string;
let home: AgentHome;
let machine: Machine;
beforeAll(async () => {
  await budget({ name: 'Ada', scope: 'user', scope_id: 'ada', threshold: 8, enforce: 'hard' });
  key = await keyOf('ada', ['budgets:check']);
  await until(async () => (await send('/api/v1/me/budget', undefined, { key })).body.budgets.length === 1);
});
beforeEach(() => {
  home = makeAgentHome(temporaryFolder(), { GOVERNOR_API_KEY: key });
  const cwd = join(home.folder, 'project');
  mkdirSync(cwd);
  machine = { home: home.folder, cwd, managedFolders: [join(home.folder, 'managed')], env: home.env };
});
/** The machine without the key in its environment. */
const withoutKey = () => {
  const { GOVERNOR_API_KEY: _, ...env } = machine.env;
  return { ...machine, env };
};

function writeSettings(path: string, settings: object): void {
  mkdirSync(dirname(join(home.folder, path)), { recursive: true });
  writeFileSync(join(home.folder, path), JSON.stringify(settings));
}

/** The finding of what stops no call, and why. */
const open = (why: string) => ({ stops: false, detail: expect.stringContaining(why) });

async function findings(on: Machine = machine, apiKey = key): Promise<Finding[]> {
  return examine(on, { api: api.url, apiKey }, undefined);
}

async function findingOf(name: string, on: Machine = machine): Promise<Finding | undefined> {
  return (await findings(on)).find((finding) => finding.name === name);
}

describe('the service, to the doctor', () => {
  it('stops what a hard budget of the user counts whom it is asked about', async () => {
    const ofAnybody = { api: api.url, apiKey: await keyOf(null, ['budgets:check']) };
    for (const user of ['ada', 'bob'])
      expect(await examine(machine, ofAnybody, user), user).toMatchObject([{ stops: user === 'ada' }]);
  });

  it('stops nothing without a hard budget, an address, or a key that it knows', async () => {
    const other = await tenant();
    expect(await findings(machine, other.key)).toMatchObject([open('no hard budget')]);
    expect(await findings(machine, 'ugk_wrong')).toMatchObject([open('401 unauthorized')]);
    expect(await examine(machine, null, undefined)).toMatchObject([open('GOVERNOR_API_KEY')]);
  });
});

describe('Claude Code, to the doctor', () => {
  const hook = {
    type: 'http',
    url: `${api.url}/hooks/claude-code`,
    headers: { Authorization: 'Bearer $GOVERNOR_API_KEY' },
    allowedEnvVars: ['GOVERNOR_API_KEY'],
  };
  const CHECK = `governor check --api ${api.url}`;
  const NOBODY = 'governor check --api http://127.0.0.1:1';
  const command = (line: string) => ({ type: 'command', command: line });
  const both = (one: object, group: object = {}) => {
    const groups = [{ ...group, hooks: [one] }];
    return { hooks: { UserPromptSubmit: groups, PreToolUse: groups } };
  };
  const UserPromptSubmit = [{ hooks: [hook] }];
  const narrow = [{ matcher: 'Bash', hooks: [hook] }];
  const others = { allowedHttpHookUrls: ['https://hooks.example.com/*'] };
  const use = (settings: object) => writeSettings('.claude/settings.json', settings);
  const finding = (on?: Machine) => findingOf('Claude Code', on);

  it.each<[stops: boolean, when: string, settings: object, why?: string]>([
    [true, 'both events ask with a key that the service knows', both(hook)],
    [true, 'a command asks, run as Claude Code would run it', both(command(`${CHECK} --fail-closed`))],
    [true, 'both ask about each tool', both(hook, { matcher: '.*' })],
    [true, 'both ask about every tool', both(hook, { matcher: '*' })],
    [true, 'both wait for five seconds', both({ ...hook, timeout: 5, async: false })],
    [true, 'the address is allowed', { ...both(hook), allowedHttpHookUrls: [`${api.url}/*`] }],
    [false, 'none waits', both({ ...hook, async: true })],
    [false, 'none waits long', both({ ...hook, timeout: 0.001 })],
    [false, 'none waits for more than a second', both({ ...hook, timeout: 1 })],
    [false, 'they ask about some calls', both({ ...hook, if: 'Bash(git *)' })],
    [false, 'the key is not passed on', both({ ...hook, allowedEnvVars: [] }), 'allowedEnvVars'],
    [false, 'another key is passed on', { ...both(hook), httpHookAllowedEnvVars: ['OTHER'] }],
    [false, 'an event has no hook', { hooks: { UserPromptSubmit } }, 'No PreToolUse hook'],
    [false, 'one is narrow', { hooks: { UserPromptSubmit, PreToolUse: narrow } }, '"Bash" only'],
    [false, 'hooks are switched off', { ...both(hook), disableAllHooks: true }, 'disableAllHooks'],
    [false, 'others are allowed', { ...both(hook), ...others }, 'allowedHttpHookUrls'],
    [false, 'the check fails', both(command(NOBODY)), 'budgets could not be checked'],
    [false, 'it fails closed', both(command(`${NOBODY} --fail-closed`)), 'budgets could not be checked'],
    [false, 'there is no such program', both(command('/nowhere/governor check')), 'ended with 127'],
  ])('stops: %s, when %s', async (stops, _, settings, why = '') => {
    use(settings);
    expect(await finding()).toMatchObject({ stops, detail: expect.stringContaining(why) });
  });

  it('does not stop with a key that is wrong or not set', async () => {
    use(both(hook));
    const wrong = { ...machine, env: { ...machine.env, GOVERNOR_API_KEY: 'ugk_wrong' } };
    for (const on of [wrong, withoutKey()]) expect(await finding(on)).toMatchObject(open('answered 401'));
  });

  describe('with its key in the settings alone', () => {
    it.each([
      ['managed settings, an HTTP hook', 'managed/managed-settings.json', hook],
      ['managed settings, a command', 'managed/managed-settings.json', command(CHECK)],
      ['a part of managed settings', 'managed/managed-settings.d/10-governor.json', hook],
      ["a person's settings", '.claude/settings.json', hook],
      ["a project's settings", 'project/.claude/settings.json', command(CHECK)],
    ])('stops by %s', async (_, path, one) => {
      use({});
      writeSettings(path, { env: { GOVERNOR_API_KEY: key }, ...both(one) });
      expect(await finding(withoutKey())).toMatchObject({ stops: true });
    });

    it('examines the service that the settings name', () => {
      expect(targetOf(withoutKey(), {})).toBeNull();
      writeSettings('managed/managed-settings.json', { env: { GOVERNOR_API_KEY: key }, ...both(hook) });
      expect(targetOf(withoutKey(), {})).toEqual({ api: api.url, apiKey: key });
    });

    it('takes the key of managed settings before any other', async () => {
      writeSettings('managed/managed-settings.json', { env: { GOVERNOR_API_KEY: 'ugk_wrong' } });
      use({ env: { GOVERNOR_API_KEY: key }, ...both(hook) });
      expect(await finding()).toMatchObject(open('401'));
    });
  });

  it('keeps managed hooks when a person switches hooks off, and none when managed settings do', async () => {
    use({ disableAllHooks: true });
    writeSettings('managed/managed-settings.json', { ...both(hook) });
    expect(await finding()).toMatchObject({ stops: true });
    writeSettings('managed/managed-settings.json', { ...both(hook), disableAllHooks: true });
    expect(await finding()).toMatchObject({ stops: false });
  });

  it('says which settings file is damaged', async () => {
    mkdirSync(join(home.folder, '.claude'));
    writeFileSync(join(home.folder, '.claude/settings.json'), '{"hooks":');
    expect(await finding()).toMatchObject(open('settings.json is not a JSON object'));
  });
});

describe('Codex, to the doctor', () => {
  /** The answer of `codex app-server` 0.169.0 to `hooks/list`. */
  const listed = ['preToolUse', 'userPromptSubmit'].map((eventName) => ({
    key: `/home/.codex/hooks.json:${eventName}:0:0`,
    eventName,
    handlerType: 'command',
    command: `governor check --api ${api.url}`,
    matcher: null,
    sourcePath: '/home/.codex/hooks.json',
    source: 'user',
    enabled: true,
    isManaged: false,
    currentHash: 'sha256:e6b5',
    trustStatus: 'trusted',
  }));

  /** A program that answers as that server does. */
  function installCodex(hooks: object[]): void {
    mkdirSync(join(home.folder, '.codex'), { recursive: true });
    const result = { data: [{ cwd: '/', hooks, warnings: [], errors: [] }] };
    writeFileSync(join(home.folder, 'answer.json'), `${JSON.stringify({ id: 2, result })}\n`);
    const script = `read -r line; echo '{"id":1,"result":{}}'
while read -r line; do case "$line" in *hooks/list*) cat '${home.folder}/answer.json';; esac; done`;
    home.writeProgram('codex', script);
  }

  it.each([
    [true, { trustStatus: 'trusted' }, ''],
    [true, { trustStatus: 'managed' }, ''],
    [true, { matcher: '.*', async: false, timeoutSec: 600 }, ''],
    [false, { async: true }, ''],
    [false, { timeoutSec: 1 }, ''],
    [false, { matcher: 'shell' }, ''],
    [false, { trustStatus: 'untrusted' }, 'it is untrusted: open /hooks in Codex and trust it'],
    [false, { trustStatus: 'modified' }, 'it is modified: open /hooks in Codex and trust it'],
    [false, { enabled: false }, 'disabled'],
  ])('stops: %s, with both hooks %j', async (stops, settings, why) => {
    installCodex(listed.map((hook) => ({ ...hook, ...settings })));
    expect(await findingOf('Codex')).toMatchObject({ stops, detail: expect.stringContaining(why) });
  });

  it('does not stop without hooks of ours, and says so when Codex cannot be asked', async () => {
    installCodex([{ ...listed[0], command: 'other-tool check' }]);
    expect(await findingOf('Codex')).toMatchObject(open('No userPromptSubmit hook asks'));
    home.writeProgram('codex', 'exit 3');
    expect(await findingOf('Codex')).toMatchObject(open('did not answer hooks/list'));
  });
});

describe('other agents, to the doctor', () => {
  it('stops in Cursor when its hook asks', async () => {
    const hooks = { preToolUse: [{ command: `governor check --api ${api.url}` }] };
    writeSettings('.cursor/hooks.json', { version: 1, hooks });
    expect(await findingOf('Cursor')).toMatchObject({ stops: true });
    writeSettings('.cursor/hooks.json', { version: 1, hooks: {} });
    expect(await findingOf('Cursor')).toMatchObject({ stops: false });
  });
});

it('a drill of `governor check` refuses only after the service has answered', async () => {
  const drill = { userId: undefined, failClosed: false, isDrill: true };
  expect(await checkCall({ api: api.url, apiKey: key }, drill)).toMatchObject({ exitCode: 2 });
  expect(await checkCall({ api: api.url, apiKey: 'ugk_wrong' }, drill)).toMatchObject({ exitCode: 1 });
});
