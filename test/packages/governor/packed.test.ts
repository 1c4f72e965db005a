import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { readEvents, subscribeToAll } from '../../support/webhooks.ts';
import { claudeLine, GOLDEN_USAGE, makeFolder, writeLines } from './history.ts';

const execute = promisify(execFile);
const { api, ctx, keyOf, tenant } = await fixture();
const home = makeFolder();
afterAll(() => home.remove());

it('names the Node that it needs in one line on an older one, and fails closed there', async () => {
  await execute('node', ['build.ts'], { cwd: 'packages/governor' });
  const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '22.14.0' } })`;
  const run = async (...args: string[]) => {
    const command = ['--import', older, 'packages/governor/dist/governor.js', ...args];
    return execute(process.execPath, command).catch((error: { code: number; stderr: string }) => error);
  };
  const stderr = expect.stringMatching(
    /^governor: It needs Node 22\.15 or later; this is Node 22\.14\.0 .*\n$/,
  );
  expect(await run('check', '--fail-closed')).toMatchObject({ code: 2, stderr });
  expect(await run('check')).toMatchObject({ code: 1, stderr });
  expect(await run('sync', '--once')).toMatchObject({ code: 1, stderr });
});

it('prints its version, and says in words that a folder is missing', async () => {
  await execute('node', ['build.ts'], { cwd: 'packages/governor' });
  const { version } = JSON.parse(readFileSync('packages/governor/package.json', 'utf8'));
  const file = 'packages/governor/dist/governor.js';
  expect((await execute(process.execPath, [file, '--version'])).stdout).toBe(`${version}\n`);
  const target = ['--api', 'http://127.0.0.1:9', '--key', 'ugk_one'];
  for (const tool of ['claude-code', 'ndjson', 'ccusage'])
    expect(
      await execute(process.execPath, [file, 'import', tool, '/nowhere', ...target]).catch((error) => error),
    ).toMatchObject({ code: 1, stderr: 'governor: There is no file or folder /nowhere\n' });
});

it('prints one JSON object for --json, whatever a check or a raise says', async () => {
  const key = await keyOf('json');
  const run = async (...args: string[]) => {
    const command = ['packages/governor/src/main.ts', '--json', ...args, '--api', api.url, '--key', key];
    const { stdout, stderr } = await execute(process.execPath, command).catch((error) => error);
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  expect(await run('check')).toEqual({ allow: true, reason: null });
  const nothing = 'governor: no budget refuses a call now.';
  expect(await run('raise', '--amount', '3')).toEqual({ raise: null, message: nothing });
});

it('links on a Node that lacks what only newer ones export', async () => {
  await execute('node', ['build.ts'], { cwd: 'packages/governor' });
  const bundle = readFileSync('packages/governor/dist/governor.js', 'utf8');
  const names = [...bundle.matchAll(/import\s*(\{[^}]*\})\s*from\s*"node:(\w+)"/g)].map(
    ([, list, from]) => `${from} ${list}`,
  );
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => /zlib|sqlite/.test(name))).toEqual([]);
});

it('packs into one file that runs in an empty folder, without the server beside it', async () => {
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', home.folder], {
    cwd: 'packages/governor',
  });
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/[[{]/)))) as [
    { filename: string; files: { path: string }[] },
  ];
  expect(packed.files.map(({ path }) => path).sort()).toEqual([
    'README.md',
    'dist/governor.js',
    'package.json',
  ]);
  const empty = join(home.folder, 'empty');
  mkdirSync(empty);
  const npm = ['install', '--no-audit', '--no-fund', '--offline', join(home.folder, packed.filename)];
  await execute('npm', npm, { cwd: empty });
  expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'usage-governor-cli',
  ]);

  const key = await keyOf('ada');
  const transcript = join(home.folder, 'claude', 'projects', 'p', 's.jsonl');
  writeLines(transcript, [claudeLine(Date.now(), 'msg_1', GOLDEN_USAGE)]);
  const env = { PATH: process.env.PATH, HOME: empty, GOVERNOR_API: api.url, GOVERNOR_API_KEY: key };
  const governor = ['--no', 'governor', '--', '--json'];
  const imported = await execute(
    'npx',
    [...governor, 'import', 'claude-code', join(home.folder, 'claude'), '--user-id', 'ada'],
    { cwd: empty, env },
  );
  expect(JSON.parse(imported.stdout)).toMatchObject({ signals: 1, accepted: 1 });
  const again = await execute('npx', [...governor, 'sync', '--once', '--user-id', 'ada'], {
    cwd: empty,
    env: { ...env, CLAUDE_CONFIG_DIR: join(home.folder, 'claude') },
  });
  expect(JSON.parse(again.stdout)).toMatchObject({ tool: 'claude-code', duplicates: 1 });

  const other = await tenant();
  await subscribeToAll(ctx, other.orgId);
  writeLines(transcript, [claudeLine(Date.now() - 86_400_000, 'msg_2', GOLDEN_USAGE)]);
  const from = ['import', 'claude-code', join(home.folder, 'claude'), '--user-id', 'ada', '--events'];
  const otherEnv = { ...env, GOVERNOR_API_KEY: await other.keyOf('ada') };
  await execute('npx', [...governor, ...from], { cwd: empty, env: otherEnv });
  expect(await readEvents(ctx, other.orgId)).toHaveLength(2);
});
