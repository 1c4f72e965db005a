import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bareEnv } from '../../support/bare-env.ts';
import { until } from '../../support/harness.ts';

const MAIN = new URL('../../../packages/governor/src/main.ts', import.meta.url).pathname;

/** An api that takes contexts, and remembers them; or is away. */
let server: Server;
let told: Record<string, unknown>[] = [];
let isAway = false;
let root: string;
let env: Record<string, string>;
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      if (isAway) return response.writeHead(503).end();
      const { contexts } = JSON.parse(body);
      told.push(...contexts);
      response.setHeader('content-type', 'application/json');
      const results = contexts.map(() => ({ status: 'accepted' }));
      return response.end(JSON.stringify({ results, moved: 0, moving: false }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  told = [];
  isAway = false;
  root = mkdtempSync(join(tmpdir(), 'governor-context-'));
  const { port } = server.address() as { port: number };
  env = {
    ...bareEnv(),
    PATH: `${bin()}:${process.env.PATH}`,
    HOME: root,
    XDG_STATE_HOME: join(root, 'state'),
    GOVERNOR_API: `http://127.0.0.1:${port}`,
    GOVERNOR_API_KEY: 'ug_test',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Ada'],
        [`GIT_${who}_EMAIL`, 'ada@example.org'],
      ]),
    ),
  };
  return () => rmSync(root, { recursive: true, force: true });
});

/** A folder with a `governor` that runs the sources. */
function bin(): string {
  const folder = join(root, 'bin');
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" --no-warnings "${MAIN}" "$@"\n`;
  writeFileSync(join(folder, 'governor'), script, { mode: 0o755 });
  return folder;
}

function git(cwd: string, args: string[], more: Record<string, string> = {}): string {
  return execFileSync('git', args, { cwd, env: { ...env, ...more }, encoding: 'utf8', stdio: 'pipe' });
}

/** The same where hooks run, which the api of this process must be able to answer. */
async function gitWithHooks(cwd: string, ...args: string[]): Promise<void> {
  await promisify(execFile)('git', args, { cwd, env });
}

/** A repository with one commit on `main` and a remote. */
function makeRepository(): string {
  const folder = join(root, 'shop');
  mkdirSync(folder);
  git(folder, ['init', '-q', '-b', 'main']);
  git(folder, ['remote', 'add', 'origin', 'https://ada:secret@GitHub.com/Acme/Shop.git']);
  commit(folder, 'one');
  return folder;
}

function commit(folder: string, name: string): void {
  writeFileSync(join(folder, name), name);
  git(folder, ['add', '-A']);
  git(folder, ['commit', '-q', '-m', name]);
}

interface Ran {
  code: number | null;
  output: string;
}

function governor(
  args: string[],
  { cwd, input = '', more = {} }: { cwd: string; input?: string; more?: object },
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'bin', 'governor'), args, { cwd, env: { ...env, ...more } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        output += piece;
      });
    child.on('close', (code) => resolve({ code, output }));
    child.stdin.end(input);
  });
}

const hook = (cwd: string, session = 's-1') =>
  governor(['context', '--hook'], {
    cwd: root,
    input: JSON.stringify({ session_id: session, cwd, prompt: 'secret' }),
  });

/** The hook of the page, as people paste it; `attribution-page.test.ts` runs the others. */
const PAGE = readFileSync(new URL('../../../docs/attribution.md', import.meta.url), 'utf8');
const [, GIT_HOOK = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];

function installHooks(folder: string): void {
  for (const name of ['post-checkout', 'post-commit', 'post-merge'])
    writeFileSync(join(folder, '.git', 'hooks', name), GIT_HOOK, { mode: 0o755 });
}

const places = () => told.map(({ repository, branch }) => [repository, branch]);

describe('governor context --hook', () => {
  it('runs no program that the configuration of the folder names', async () => {
    const folder = makeRepository();
    const ran = join(root, 'ran');
    const program = join(root, 'program.sh');
    writeFileSync(program, `#!/bin/sh\ntouch '${ran}'\nexit 1\n`, { mode: 0o755 });
    for (const [name, value] of [
      ['log.showSignature', 'true'],
      ['gpg.program', program],
      ['core.fsmonitor', program],
      ['core.pager', program],
      ['diff.external', program],
    ] as const)
      git(folder, ['config', name, value]);
    const [tree, parent] = ['HEAD^{tree}', 'HEAD'].map((of) => git(folder, ['rev-parse', of]).trim());
    const who = 'Ada <ada@example.org> 1767261600 +0000';
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----';
    const signed = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n${signature}\n\ntwo\n`;
    const commit = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: folder,
      env,
      input: signed,
      encoding: 'utf8',
    }).trim();
    git(folder, ['update-ref', 'HEAD', commit]);
    await hook(folder);
    expect(places()).toEqual([['github.com/acme/shop', 'main']]);
    expect(existsSync(ran)).toBe(false);
  });

  it('tells the repository without credentials, the branch and the commit, and nothing else, once in ten minutes', async () => {
    const folder = makeRepository();
    const head = git(folder, ['rev-parse', 'HEAD']).trim();
    expect(await hook(folder)).toEqual({ code: 0, output: '' });
    expect(await hook(folder)).toEqual({ code: 0, output: '' });
    const ts = expect.any(String);
    expect(told).toEqual([
      { client_session_id: 's-1', ts, repository: 'github.com/acme/shop', branch: 'main', commit: head },
    ]);
    git(folder, ['checkout', '-q', '-b', 'cart']);
    await hook(folder);
    expect(places().at(-1)).toEqual(['github.com/acme/shop', 'cart']);
  });

  it('tells Claude Code which session runs git, and git which session ran it', async () => {
    const folder = makeRepository();
    installHooks(folder);
    const file = join(root, 'env.sh');
    const input = JSON.stringify({ session_id: "s'1", cwd: folder });
    await governor(['context', '--hook'], { cwd: root, input, more: { CLAUDE_ENV_FILE: file } });
    const run = `. ${file} && git checkout -q -b cart`;
    await promisify(execFile)('sh', ['-c', run], { cwd: folder, env });
    expect(told.map(({ client_session_id, branch }) => [client_session_id, branch])).toEqual([
      ["s'1", 'main'],
      ["s'1", 'cart'],
    ]);
  });

  it('tells that a session works in no repository, and that a commit without a branch is a place', async () => {
    const folder = makeRepository();
    await hook(root);
    expect(told).toMatchObject([{ repository: null }]);
    git(folder, ['checkout', '-q', '--detach']);
    await hook(folder);
    expect(places().at(-1)).toEqual(['github.com/acme/shop', undefined]);
  });

  it('tells a rename once, with its time', async () => {
    const folder = makeRepository();
    git(folder, ['branch', '-m', 'trunk']);
    await toldOfRename(folder);
    await until(async () => {
      await hook(folder, 's-2');
      return told.some(({ client_session_id }) => client_session_id === 's-2');
    });
    // A hook that gave up on a busy machine has told the same again.
    const renames = told.filter(({ renamed_from }) => renamed_from !== undefined);
    expect(new Set(renames.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(renames[0]).toMatchObject({ branch: 'trunk', renamed_from: 'main' });
    expect(told.filter((one) => !renames.includes(one))).not.toEqual([]);
  });

  it('tells each rename of a branch that goes to a name, back, and to that name again', async () => {
    const folder = makeRepository();
    const began = Math.floor(Date.now() / 1_000) - 3_600;
    const names = ['trunk', 'main', 'trunk', 'main'];
    for (const [index, name] of names.entries()) {
      git(folder, ['branch', '-m', name], { GIT_COMMITTER_DATE: `${began + index} +0000` });
      const ts = new Date((began + index) * 1_000 + 999).toISOString();
      await until(
        async () => {
          await hook(folder);
          return told.some((one) => one.renamed_from !== undefined && one.ts === ts && one.branch === name);
        },
        { what: `rename ${index + 1} to be told` },
      );
    }
    const renames = told.filter(({ renamed_from }) => renamed_from !== undefined);
    expect(new Set(renames.map(({ ts }) => ts)).size).toBe(names.length);
  });

  /** The context of a rename and those after it. On a busy machine, a hook gives up and the next one tells it. */
  async function toldOfRename(folder: string): Promise<Record<string, unknown>[]> {
    const found = () => told.findIndex(({ renamed_from }) => renamed_from !== undefined);
    await until(async () => {
      await hook(folder);
      return found() >= 0;
    });
    return told.slice(found());
  }

  it('lets calls of the old name count until the hook sees a rename of just now', async () => {
    const folder = makeRepository();
    git(folder, ['branch', '-m', 'trunk']);
    const [rename, place] = await toldOfRename(folder);
    expect([rename?.renamed_from, rename?.ts]).toEqual(['main', place?.ts]);
  });

  it('tells an old rename at the end of the second that git wrote', async () => {
    const folder = makeRepository();
    const seconds = Math.floor(Date.now() / 1_000) - 3_600;
    git(folder, ['branch', '-m', 'trunk'], { GIT_COMMITTER_DATE: `${seconds} +0000` });
    const [rename] = await toldOfRename(folder);
    expect(Date.parse(String(rename?.ts))).toBe(seconds * 1_000 + 999);
  });

  it('never fails, whatever it reads', async () => {
    for (const input of [
      '',
      'nonsense',
      '[]',
      '{"session_id":7}',
      '{"session_id":"s","cwd":"/nowhere/at/all"}',
    ])
      expect(await governor(['context', '--hook'], { cwd: root, input })).toEqual({ code: 0, output: '' });
  });
});

describe('governor context --git-hook', () => {
  it('tells every session that was seen in the worktree, and none of another one', async () => {
    const folder = makeRepository();
    installHooks(folder);
    await gitWithHooks(folder, 'worktree', 'add', '-q', join(root, 'other'), '-b', 'side');
    await hook(folder, 's-1');
    await hook(join(root, 'other'), 's-2');
    told = [];
    await gitWithHooks(folder, 'checkout', '-q', '-b', 'cart');
    expect(told).toMatchObject([{ client_session_id: 's-1', branch: 'cart' }]);
    await gitWithHooks(join(root, 'other'), 'checkout', '-q', '-b', 'wing');
    expect(told.slice(1)).toMatchObject([{ client_session_id: 's-2', branch: 'wing', worktree: 'other' }]);
  });

  it('keeps the branch while it is rebased', async () => {
    const folder = makeRepository();
    git(folder, ['checkout', '-q', '-b', 'cart']);
    commit(folder, 'two');
    git(folder, ['checkout', '-q', 'main']);
    commit(folder, 'three');
    git(folder, ['checkout', '-q', 'cart']);
    installHooks(folder);
    await hook(folder);
    await gitWithHooks(folder, 'rebase', '-q', 'main');
    await hook(folder, 's-2');
    expect(new Set(told.map(({ branch }) => branch))).toEqual(new Set(['cart']));
  });
});

describe('while the api is away', () => {
  it('contexts wait with their own times in a file of their owner, and go with the next one', async () => {
    const folder = makeRepository();
    isAway = true;
    for (const session of ['s-1', 's-2']) expect((await hook(folder, session)).code).toBe(0);
    const file = join(root, 'state', 'governor', 'contexts.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const waiting = JSON.parse(readFileSync(file, 'utf8')).waiting;
    expect(waiting).toHaveLength(2);
    isAway = false;
    await hook(folder, 's-3');
    expect(told.map(({ client_session_id, ts }) => [client_session_id, ts]).slice(0, 2)).toEqual(
      waiting.map((context: { client_session_id: string; ts: string }) => [
        context.client_session_id,
        context.ts,
      ]),
    );
    expect(JSON.stringify(told)).not.toContain(root);
    expect(JSON.stringify(told)).not.toContain('secret');
    expect(JSON.parse(readFileSync(file, 'utf8')).waiting).toEqual([]);
  });

  it('loses none of what several processes tell at once', async () => {
    const folder = makeRepository();
    isAway = true;
    const tell = (session: string) => governor(['context', '--session', session], { cwd: folder });
    await Promise.all(Array.from({ length: 8 }, (_, index) => tell(`s-${index}`)));
    const { waiting } = JSON.parse(readFileSync(join(root, 'state', 'governor', 'contexts.json'), 'utf8'));
    expect(new Set(waiting.map((one: { client_session_id: string }) => one.client_session_id)).size).toBe(8);
  });
});

it('governor context tells a task by hand, and says what it needs', async () => {
  const folder = makeRepository();
  const answer = await governor(['--json', 'context', '--session', 's-1', '--task', 'SHOP-1'], {
    cwd: folder,
  });
  expect(answer).toMatchObject({ code: 0, output: expect.stringContaining('"contexts":1') });
  expect(told).toMatchObject([{ task: 'SHOP-1', branch: 'main' }]);
  const none = await governor(['context', '--no-task'], { cwd: root });
  expect(none).toMatchObject({ code: 1, output: expect.stringContaining('no client session') });
});
