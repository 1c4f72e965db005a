import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { NODE, ROOT } from '../../packages/stack/files.ts';
import { bareEnv } from '../support/bare-env.ts';
import { temporaryFolder } from '../support/temporary.ts';

const execute = promisify(execFile);
const folder = temporaryFolder(afterAll);

/** A process that must not start, in a folder of its own. */
async function fail(args: readonly string[], env: Record<string, string> = {}) {
  const options = { cwd: folder, env: { ...bareEnv(), ...env }, timeout: 20_000 };
  const ended = await execute(NODE, [...args], options).catch((error) => error);
  return { code: 0, ...ended } as { code: number; stderr: string };
}

test.each(['api/main.ts', 'workers/main.ts', 'scripts/release.ts', 'scripts/governor.ts org list'])(
  '%s names every missing or wrong variable in one message, without a stack',
  async (program) => {
    const [script = '', ...args] = program.split(' ');
    const wrong = { PORT: 'many', TIME_SCALE: '5', CURSOR_SECRET: 'x'.repeat(40) };
    const { code, stderr } = await fail([join(ROOT, script), ...args], wrong);
    expect(code).toBe(1);
    const names = [...stderr.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);
    expect(names.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'API_KEY_PEPPER',
      'BASE_URL',
      'CURSOR_SECRET',
      'MONGODB_URL',
      'OPERATOR_TOKEN',
      'PORT',
      'REDIS_URL',
      'SESSION_SECRET',
      'TIME_SCALE',
      'WEBHOOK_SECRET_KEYS',
    ]);
    expect(stderr).not.toMatch(/^\s+at |Node\.js v/m);
    expect(stderr).not.toContain('x'.repeat(40));
  },
);

test('a process of the Procfile reads .env, and what is set wins', async () => {
  writeFileSync(join(folder, '.env'), 'PORT=from-the-file\nWORKER_PORT=from-the-file\n');
  const procfile = readFileSync(join(ROOT, 'Procfile'), 'utf8').trimEnd().split('\n');
  expect(procfile).toHaveLength(3);
  for (const line of procfile) {
    const [, flag = '', script = ''] = /^\w+: (?:env \S+ )?node (\S+) (\S+)$/.exec(line) ?? [];
    const { stderr } = await fail([flag, join(ROOT, script)], { WORKER_PORT: '1' });
    expect(stderr).toContain('  PORT: must be a number');
    expect(stderr).not.toContain('  WORKER_PORT:');
  }
  rmSync(join(folder, '.env'));
});

test('the npm scripts of the operator read .env, and scripts/up does not', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['governor', 'release'])
    expect(scripts[name]).toContain('node $(test ! -f .env || echo --env-file=.env) scripts/');
  for (const file of ['scripts/up', 'scripts/up.ts', 'scripts/start/bring-up.ts'])
    expect(readFileSync(join(ROOT, file), 'utf8')).not.toContain('env-file');
});
