import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareEnv } from '../../support/bare-env.ts';
import { fixture } from '../../support/fixture.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { readEvents, subscribeToAll } from '../../support/webhooks.ts';
import { claudeLine, writeLines } from './history.ts';

const execute = promisify(execFile);
const { api, ctx, keyOf, tenant } = await fixture();
const home = temporaryFolder(afterAll);
const BUNDLE = 'packages/governor/dist/governor.js';
beforeAll(() => execute('node', ['build.ts'], { cwd: 'packages/governor' }));

it('names the Node that it needs in one line on an older one, and fails closed there', async () => {
  const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '22.14.0' } })`;
  const run = async (...args: string[]) => {
    const command = ['--import', older, BUNDLE, ...args];
    return execute(process.execPath, command).catch((error: { code: number; stderr: string }) => error);
  };
  const stderr = expect.stringMatching(
    /^governor: It needs Node 22\.15 or later; this is Node 22\.14\.0 .*\n$/,
  );
  expect(await run('check', '--fail-closed')).toMatchObject({ code: 2, stderr });
  expect(await run('check')).toMatchObject({ code: 1, stderr });
  expect(await run('sync', '--once')).toMatchObject({ code: 1, stderr });
});

it('prints its version', async () => {
  const { version } = JSON.parse(readFileSync('packages/governor/package.json', 'utf8'));
  expect((await execute(process.execPath, [BUNDLE, '--version'])).stdout).toBe(`${version}\n`);
});

it('links on a Node that lacks what only newer ones export', async () => {
  const bundle = readFileSync(BUNDLE, 'utf8');
  const imports = [...bundle.matchAll(/import\s*(\{[^}]*\})\s*from\s*"node:(\w+)"/g)];
  const names = imports.map(([, list, from]) => `${from} ${list}`);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => /zlib|sqlite/.test(name))).toEqual([]);
});

it('packs into one file that runs in an empty folder, without the server beside it', async () => {
  const pack = ['pack', '--json', '--pack-destination', home];
  const { stdout } = await execute('npm', pack, { cwd: 'packages/governor' });
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/[[{]/)))) as [
    { filename: string; files: { path: string }[] },
  ];
  const files = packed.files.map(({ path }) => path).sort();
  expect(files).toEqual(['README.md', 'dist/governor.js', 'package.json']);
  const empty = join(home, 'empty');
  mkdirSync(empty);
  const npm = ['install', '--no-audit', '--no-fund', '--offline', join(home, packed.filename)];
  await execute('npm', npm, { cwd: empty });
  const installed = readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed).toEqual(['usage-governor-cli']);

  const key = await keyOf('ada');
  const claude = join(home, 'claude');
  const transcript = join(claude, 'projects', 'p', 's.jsonl');
  writeLines(transcript, [claudeLine(Date.now(), 'msg_1')]);
  const governor = (GOVERNOR_API_KEY: string, ...args: string[]) =>
    execute(join(empty, 'node_modules/.bin/governor'), ['--json', ...args, '--user-id', 'ada'], {
      cwd: empty,
      env: { ...bareEnv(), HOME: empty, GOVERNOR_API: api.url, GOVERNOR_API_KEY, CLAUDE_CONFIG_DIR: claude },
    });
  const imported = await governor(key, 'import', 'claude-code', claude);
  expect(JSON.parse(imported.stdout)).toMatchObject({ signals: 1, accepted: 1 });
  const again = await governor(key, 'sync', '--once');
  expect(JSON.parse(again.stdout)).toMatchObject({ tool: 'claude-code', duplicates: 1 });

  const other = await tenant();
  await subscribeToAll(ctx, other.orgId);
  writeLines(transcript, [claudeLine(Date.now() - 86_400_000, 'msg_2')]);
  await governor(await other.keyOf('ada'), 'import', 'claude-code', claude, '--events');
  expect(await readEvents(ctx, other.orgId)).toHaveLength(2);
});
