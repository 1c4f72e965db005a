import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkCall, targetOf } from '../../../packages/governor/src/check.ts';
import { examine, type Finding } from '../../../packages/governor/src/doctor/doctor.ts';
import type { Machine } from '../../../packages/governor/src/doctor/hook.ts';
import { ROOT } from '../../../packages/stack/files.ts';
import { bareEnv } from '../../support/bare-env.ts';
import { fixture } from '../../support/fixture.ts';
import { until } from '../../support/harness.ts';
import { makeFolder } from './history.ts';

const { api, send, budget, keyOf, tenant } = await fixture();
/** Bound to ada, whose hard budget has room. */
let key: string;
let home: ReturnType<typeof makeFolder>;
let machine: Machine;
beforeAll(async () => {
  await budget({ name: 'Ada', scope: 'user', scope_id: 'ada', threshold: 8, enforce: 'hard' });
  key = await keyOf('ada', ['budgets:check']);
  await until(async () => (await send('/api/v1/me/budget', undefined, { key })).body.budgets.length === 1);
});
beforeEach(() => {
  home = makeFolder();
  const bin = join(home.folder, 'bin');
  const cwd = join(home.folder, 'project');
  mkdirSync(cwd);
  const node = process.execPath;
  writeProgram(join(bin, 'governor'), `exec '${node}' '${join(ROOT, 'packages/governor/src/main.ts')}' "$@"`);
  const path = [bin, dirname(node), process.env.PATH].join(delimiter);
  const env = { ...bareEnv(), PATH: path, GOVERNOR_API_KEY: key };
  machine = { home: home.folder, cwd, managedFolders: [join(home.folder, 'managed')], env };
});
afterEach(() => home.remove());

function writeProgram(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

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
  it('stops what a hard budget counts', async () => {
    expect(await findings()).toEqual([
      { name: 'Service', stops: true, detail: expect.stringContaining('a hard budget counts these calls') },
    ]);
  });

  it('stops nothing without a hard budget, an address, or a key that it knows', async () => {
    const other = await tenant();
    expect(await findings(machine, other.key)).toMatchObject([open('no hard budget')]);
    expect(await findings(machine, 'ugk_wrong')).toMatchObject([open('401 unauthorized')]);
    expect(await examine(machine, null, undefined)).toMatchObject([open('GOVERNOR_API_KEY')]);
  });
});

describe('Claude Code, to the doctor', () => {
  const hook = () => ({
    type: 'http',
    url: `${api.url}/hooks/claude-code`,
    headers: { Authorization: 'Bearer $GOVERNOR_API_KEY' },
    allowedEnvVars: ['GOVERNOR_API_KEY'],
  });
  const both = (one: object) => ({ UserPromptSubmit: [{ hooks: [one] }], PreToolUse: [{ hooks: [one] }] });
  const use = (settings: object) => writeSettings('.claude/settings.json', settings);
  const finding = (on?: Machine) => findingOf('Claude Code', on);

  it('stops when both events ask with a key that the service knows', async () => {
    use({ hooks: both(hook()) });
    expect(await finding()).toMatchObject({ stops: true });
  });

  it('stops by a command hook too, which is run as Claude Code would run it', async () => {
    use({ hooks: both({ type: 'command', command: `governor check --api ${api.url} --fail-closed` }) });
    expect(await finding()).toMatchObject({ stops: true });
  });

  it('does not stop with a key that is wrong, not set, or not passed on', async () => {
    use({ hooks: both(hook()) });
    const wrong = { ...machine, env: { ...machine.env, GOVERNOR_API_KEY: 'ugk_wrong' } };
    const unset = { ...machine, env: { ...bareEnv(), PATH: machine.env.PATH } };
    for (const on of [wrong, unset]) expect(await finding(on)).toMatchObject(open('answered 401'));
    use({ hooks: both({ ...hook(), allowedEnvVars: [] }) });
    expect(await finding()).toMatchObject(open('allowedEnvVars'));
    use({ hooks: both(hook()), httpHookAllowedEnvVars: ['OTHER'] });
    expect(await finding()).toMatchObject({ stops: false });
  });

  it('does not stop when an event has no hook, a narrow one, or one that is switched off', async () => {
    use({ hooks: { UserPromptSubmit: [{ hooks: [hook()] }] } });
    expect(await finding()).toMatchObject(open('No PreToolUse hook'));
    use({ hooks: { ...both(hook()), PreToolUse: [{ matcher: 'Bash', hooks: [hook()] }] } });
    expect(await finding()).toMatchObject(open('"Bash" only'));
    use({ hooks: both(hook()), disableAllHooks: true });
    expect(await finding()).toMatchObject(open('disableAllHooks'));
    use({ hooks: both(hook()), allowedHttpHookUrls: ['https://hooks.example.com/*'] });
    expect(await finding()).toMatchObject(open('allowedHttpHookUrls'));
    use({ hooks: both(hook()), allowedHttpHookUrls: [`${api.url}/*`] });
    expect(await finding()).toMatchObject({ stops: true });
  });

  it('does not stop by a check that fails, also when that check fails closed', async () => {
    for (const flags of ['', ' --fail-closed']) {
      use({ hooks: both({ type: 'command', command: `governor check --api http://127.0.0.1:1${flags}` }) });
      expect(await finding()).toMatchObject(open('budgets could not be checked'));
    }
    use({ hooks: both({ type: 'command', command: '/nowhere/governor check' }) });
    expect(await finding()).toMatchObject(open('ended with 127'));
  });

  describe('with its key in the settings alone', () => {
    const withoutKey = () => ({ ...machine, env: { ...bareEnv(), PATH: machine.env.PATH } });
    const command = () => ({ type: 'command', command: `governor check --api ${api.url}` });

    it.each([
      ['managed settings, an HTTP hook', 'managed/managed-settings.json', hook],
      ['managed settings, a command', 'managed/managed-settings.json', command],
      ['a part of managed settings', 'managed/managed-settings.d/10-governor.json', hook],
      ["a person's settings", '.claude/settings.json', hook],
      ["a project's settings", 'project/.claude/settings.json', command],
    ])('stops by %s', async (_, path, make) => {
      use({});
      writeSettings(path, { env: { GOVERNOR_API_KEY: key }, hooks: both(make()) });
      expect(await finding(withoutKey())).toMatchObject({ stops: true });
    });

    it('examines the service that the settings name', () => {
      expect(targetOf(withoutKey(), {})).toBeNull();
      writeSettings('managed/managed-settings.json', { env: { GOVERNOR_API_KEY: key }, hooks: both(hook()) });
      expect(targetOf(withoutKey(), {})).toEqual({ api: api.url, apiKey: key });
    });

    it('takes the key of managed settings before any other', async () => {
      writeSettings('managed/managed-settings.json', { env: { GOVERNOR_API_KEY: 'ugk_wrong' } });
      use({ env: { GOVERNOR_API_KEY: key }, hooks: both(hook()) });
      expect(await finding()).toMatchObject(open('401'));
    });
  });

  it('keeps managed hooks when a person switches hooks off, and none when managed settings do', async () => {
    use({ disableAllHooks: true });
    writeSettings('managed/managed-settings.json', { hooks: both(hook()) });
    expect(await finding()).toMatchObject({ stops: true });
    writeSettings('managed/managed-settings.json', { hooks: both(hook()), disableAllHooks: true });
    expect(await finding()).toMatchObject({ stops: false });
  });

  it.each([
    [true, { matcher: '.*' }, {}],
    [true, { matcher: '*' }, {}],
    [true, {}, { timeout: 5, async: false }],
    [false, {}, { async: true }],
    [false, {}, { timeout: 0.001 }],
    [false, {}, { timeout: 1 }],
    [false, {}, { if: 'Bash(git *)' }],
  ])('stops: %s, with the group %j and the hook %j', async (stops, group, settings) => {
    const groups = [{ ...group, hooks: [{ ...hook(), ...settings }] }];
    use({ hooks: { UserPromptSubmit: groups, PreToolUse: groups } });
    expect(await finding()).toMatchObject({ stops });
  });

  it('says which settings file is damaged', async () => {
    mkdirSync(join(home.folder, '.claude'));
    writeFileSync(join(home.folder, '.claude/settings.json'), '{"hooks":');
    expect(await finding()).toMatchObject(open('settings.json is not a JSON object'));
  });
});

describe('Codex, to the doctor', () => {
  /** The answer of `codex app-server` 0.169.0 to `hooks/list`. */
  const listed = (trustStatus: string, enabled = true) =>
    ['preToolUse', 'userPromptSubmit'].map((eventName) => ({
      key: `/home/.codex/hooks.json:${eventName}:0:0`,
      eventName,
      handlerType: 'command',
      command: `governor check --api ${api.url}`,
      matcher: null,
      sourcePath: '/home/.codex/hooks.json',
      source: 'user',
      enabled,
      isManaged: false,
      currentHash: 'sha256:e6b5',
      trustStatus,
    }));

  /** A program that answers as that server does. */
  function installCodex(hooks: object[]): void {
    mkdirSync(join(home.folder, '.codex'), { recursive: true });
    const result = { data: [{ cwd: '/', hooks, warnings: [], errors: [] }] };
    writeFileSync(join(home.folder, 'answer.json'), `${JSON.stringify({ id: 2, result })}\n`);
    const script = `read -r line; echo '{"id":1,"result":{}}'
while read -r line; do case "$line" in *hooks/list*) cat '${home.folder}/answer.json';; esac; done`;
    writeProgram(join(home.folder, 'bin', 'codex'), script);
  }

  it('stops when both hooks are trusted, or managed', async () => {
    for (const trust of ['trusted', 'managed']) {
      installCodex(listed(trust));
      expect(await findingOf('Codex')).toMatchObject({ stops: true });
    }
  });

  it.each([
    [true, { matcher: '.*', async: false, timeoutSec: 600 }],
    [false, { async: true }],
    [false, { timeoutSec: 1 }],
    [false, { matcher: 'shell' }],
  ])('stops: %s, with the hook %j', async (stops, settings) => {
    installCodex(listed('trusted').map((hook) => ({ ...hook, ...settings })));
    expect(await findingOf('Codex')).toMatchObject({ stops });
  });

  it('does not stop while a hook waits for trust, has changed, or is disabled', async () => {
    for (const trust of ['untrusted', 'modified']) {
      installCodex(listed(trust));
      expect(await findingOf('Codex')).toMatchObject(
        open(`it is ${trust}: open /hooks in Codex and trust it`),
      );
    }
    installCodex(listed('trusted', false));
    expect(await findingOf('Codex')).toMatchObject(open('disabled'));
  });

  it('does not stop without hooks of ours, and says so when Codex cannot be asked', async () => {
    installCodex([{ ...listed('trusted')[0], command: 'other-tool check' }]);
    expect(await findingOf('Codex')).toMatchObject(open('No userPromptSubmit hook asks'));
    writeProgram(join(home.folder, 'bin', 'codex'), 'exit 3');
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

  it('does not stop in an agent without a hook, and leaves out agents that nobody has used', async () => {
    mkdirSync(join(home.folder, '.gemini'));
    expect(await findings()).toMatchObject([
      { name: 'Service' },
      { name: 'Gemini CLI', ...open('has no hook for it') },
    ]);
  });
});

it('a drill of `governor check` refuses only after the service has answered', async () => {
  const drill = { userId: undefined, failClosed: false, isDrill: true };
  expect(await checkCall({ api: api.url, apiKey: key }, drill)).toMatchObject({ exitCode: 2 });
  expect(await checkCall({ api: api.url, apiKey: 'ugk_wrong' }, drill)).toMatchObject({ exitCode: 1 });
});
