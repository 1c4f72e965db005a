import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type AgentHome, makeAgentHome } from '../../support/agent-home.ts';
import { until } from '../../support/harness.ts';
import { listen, temporaryFolder } from '../../support/temporary.ts';

type Told = Record<string, unknown>;

/** An api that takes contexts, and remembers them; or is away. */
let told: Told[] = [];
let isAway = false;
const server = createServer((request, response) => void answer(request, response));
async function answer(request: IncomingMessage, response: ServerResponse) {
  if (isAway) return response.writeHead(503).end();
  const { contexts } = (await json(request)) as { contexts: Told[] };
  told.push(...contexts);
  response.setHeader('content-type', 'application/json');
  const results = contexts.map(() => ({ status: 'accepted' }));
  return response.end(JSON.stringify({ results, moved: 0, moving: false }));
}
const url = await listen(server, afterAll);

let home: AgentHome;
let root: string;
beforeEach(() => {
  told = [];
  isAway = false;
  home = makeAgentHome(temporaryFolder(), { GOVERNOR_API: url, GOVERNOR_API_KEY: 'ug_test' });
  root = home.folder;
});

const git = async (cwd: string, args: string, more: Record<string, string> = {}) =>
  (await home.run(cwd, ['git', ...args.split(' ')], more)).trim();

/** A repository with one commit on `main` and a remote. */
async function makeRepository(): Promise<string> {
  const folder = join(root, 'shop');
  mkdirSync(folder);
  await git(folder, 'init -q -b main');
  await git(folder, 'remote add origin https://ada:secret@GitHub.com/Acme/Shop.git');
  await commit(folder, 'one');
  return folder;
}

async function commit(folder: string, name: string): Promise<void> {
  writeFileSync(join(folder, name), name);
  await git(folder, 'add -A');
  await git(folder, `commit -q -m ${name}`);
}

const governor = (cwd: string, args: string, input?: string) =>
  home.start(['governor', ...args.split(' ')], cwd, input);
const hook = (cwd: string, session_id = 's-1') =>
  governor(root, 'context --hook', JSON.stringify({ session_id, cwd, prompt: 'secret' }));

/** The hook of the page, as people paste it; `attribution-page.test.ts` runs the others. */
const PAGE = readFileSync(new URL('../../../docs/attribution.md', import.meta.url), 'utf8');
const [, GIT_HOOK = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];

function installHooks(folder: string): void {
  for (const name of ['post-checkout', 'post-commit', 'post-merge'])
    writeFileSync(join(folder, '.git', 'hooks', name), GIT_HOOK, { mode: 0o755 });
}

const places = () => told.map(({ repository, branch }) => [repository, branch]);
const renames = () => told.filter(({ renamed_from }) => renamed_from !== undefined);

describe('governor context --hook', () => {
  it('runs no program that the configuration of the folder names', async () => {
    const folder = await makeRepository();
    const ran = join(root, 'ran');
    home.writeProgram('program', `touch '${ran}'\nexit 1`);
    for (const name of ['gpg.program', 'core.fsmonitor', 'core.pager', 'diff.external'])
      await git(folder, `config ${name} ${join(root, 'bin/program')}`);
    await git(folder, 'config log.showSignature true');
    const [tree, parent] = [await git(folder, 'rev-parse HEAD^{tree}'), await git(folder, 'rev-parse HEAD')];
    const who = 'Ada <ada@example.org> 1767261600 +0000';
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----';
    const signed = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n${signature}\n\ntwo\n`;
    writeFileSync(join(root, 'signed'), signed);
    const commit = await git(folder, `hash-object -t commit -w ${join(root, 'signed')}`);
    await git(folder, `update-ref HEAD ${commit}`);
    await hook(folder);
    expect(places()).toEqual([['github.com/acme/shop', 'main']]);
    expect(existsSync(ran)).toBe(false);
  });

  it('tells the repository without credentials, the branch and the commit, and nothing else, once in ten minutes', async () => {
    const folder = await makeRepository();
    const head = await git(folder, 'rev-parse HEAD');
    for (let asked = 0; asked < 2; asked += 1) expect(await hook(folder)).toEqual({ code: 0, output: '' });
    const ts = expect.any(String);
    expect(told).toEqual([
      { client_session_id: 's-1', ts, repository: 'github.com/acme/shop', branch: 'main', commit: head },
    ]);
    await git(folder, 'checkout -q -b cart');
    await hook(folder);
    expect(places().at(-1)).toEqual(['github.com/acme/shop', 'cart']);
  });

  it('tells that a session works in no repository, and that a commit without a branch is a place', async () => {
    const folder = await makeRepository();
    await hook(root);
    expect(told).toMatchObject([{ repository: null }]);
    await git(folder, 'checkout -q --detach');
    await hook(folder);
    expect(places().at(-1)).toEqual(['github.com/acme/shop', undefined]);
  });

  it('tells a rename of just now once, and lets calls of the old name count until the hook sees it', async () => {
    const folder = await makeRepository();
    await git(folder, 'branch -m trunk');
    // On a busy machine, a hook gives up and the next one tells it, or the same again.
    for (const session of ['s-1', 's-2'])
      await until(async () => {
        await hook(folder, session);
        return renames().length > 0 && told.some(({ client_session_id }) => client_session_id === session);
      });
    expect(new Set(renames().map((one) => JSON.stringify(one))).size).toBe(1);
    const [rename] = renames();
    expect(rename).toMatchObject({ branch: 'trunk', renamed_from: 'main' });
    const place = told.slice(told.indexOf(rename ?? {})).find((one) => !renames().includes(one));
    expect(place?.ts).toBe(rename?.ts);
  });

  it('tells each rename of a branch that goes to a name, back, and again, at the end of the second that git wrote', async () => {
    const folder = await makeRepository();
    const began = Math.floor(Date.now() / 1_000) - 3_600;
    const names = ['trunk', 'main', 'trunk', 'main'];
    for (const [index, name] of names.entries()) {
      await git(folder, `branch -m ${name}`, { GIT_COMMITTER_DATE: `${began + index} +0000` });
      const ts = new Date((began + index) * 1_000 + 999).toISOString();
      const isTold = async () => {
        await hook(folder);
        return renames().some((one) => one.ts === ts && one.branch === name);
      };
      await until(isTold, { what: `rename ${index + 1} to be told` });
    }
    expect(new Set(renames().map(({ ts }) => ts)).size).toBe(names.length);
  });

  it.each(['', 'nonsense', '[]', '{"session_id":7}', '{"session_id":"s","cwd":"/nowhere/at/all"}'])(
    'does not fail when it reads %j',
    async (input) => {
      expect(await governor(root, 'context --hook', input)).toEqual({ code: 0, output: '' });
    },
  );
});

describe('governor context --git-hook', () => {
  it('tells every session that was seen in the worktree, and none of another one', async () => {
    const folder = await makeRepository();
    const other = join(root, 'other');
    installHooks(folder);
    await git(folder, `worktree add -q ${other} -b side`);
    await hook(folder, 's-1');
    await hook(other, 's-2');
    told = [];
    await git(folder, 'checkout -q -b cart');
    expect(told).toMatchObject([{ client_session_id: 's-1', branch: 'cart' }]);
    await git(other, 'checkout -q -b wing');
    expect(told.slice(1)).toMatchObject([{ client_session_id: 's-2', branch: 'wing', worktree: 'other' }]);
  });

  it('keeps the branch while it is rebased', async () => {
    const folder = await makeRepository();
    await git(folder, 'checkout -q -b cart');
    await commit(folder, 'two');
    await git(folder, 'checkout -q main');
    await commit(folder, 'three');
    await git(folder, 'checkout -q cart');
    installHooks(folder);
    await hook(folder);
    await git(folder, 'rebase -q main');
    await hook(folder, 's-2');
    expect(new Set(told.map(({ branch }) => branch))).toEqual(new Set(['cart']));
  });
});

describe('while the api is away', () => {
  const file = () => join(root, 'state', 'governor', 'contexts.json');
  const waiting = (): Told[] => JSON.parse(readFileSync(file(), 'utf8')).waiting;
  const timesOf = (of: readonly Told[]) => of.map(({ client_session_id, ts }) => [client_session_id, ts]);

  it('contexts wait with their own times in a file of their owner, and go with the next one', async () => {
    const folder = await makeRepository();
    isAway = true;
    for (const session of ['s-1', 's-2']) expect((await hook(folder, session)).code).toBe(0);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const kept = timesOf(waiting());
    expect(kept).toHaveLength(2);
    isAway = false;
    await hook(folder, 's-3');
    expect(timesOf(told).slice(0, 2)).toEqual(kept);
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`secret|${root}`));
    expect(waiting()).toEqual([]);
  });

  it('loses none of what several processes tell at once', async () => {
    const folder = await makeRepository();
    isAway = true;
    const sessions = Array.from({ length: 8 }, (_, index) => `s-${index}`);
    await Promise.all(sessions.map((session) => governor(folder, `context --session ${session}`)));
    expect(new Set(timesOf(waiting()).map(([session]) => session))).toEqual(new Set(sessions));
  });
});

it('governor context tells a task by hand', async () => {
  const folder = await makeRepository();
  const answer = await governor(folder, '--json context --session s-1 --task SHOP-1');
  expect(answer).toMatchObject({ code: 0, output: expect.stringContaining('"contexts":1') });
  expect(told).toMatchObject([{ task: 'SHOP-1', branch: 'main' }]);
});
