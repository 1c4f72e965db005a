import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { fillEnvFile } from '../../packages/stack/env-file.ts';
import { NODE, ROOT } from '../../packages/stack/files.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { temporaryFolder } from '../support/temporary.ts';

const envFile = join(temporaryFolder(afterAll), '.env');

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The settings of an empty .env after npm run secrets. */
function runSecrets(): Record<string, string | undefined> {
  const { status, stderr } = spawnSync(NODE, ['scripts/secrets.ts', envFile], { cwd: ROOT });
  expect(status, String(stderr)).toBe(0);
  return parseEnv(readFileSync(envFile, 'utf8'));
}

const secrets = runSecrets();

/** `environment` of the services in compose.yaml, as Docker fills it in. Throws what a `${NAME:?words}` says. */
function composeEnvironment(given: Record<string, string | undefined>): Record<string, string> {
  const [, block = ''] = /\n {2}environment:\n((?: {4}.*\n)+)/.exec(readText('compose.yaml')) ?? [];
  const fill = (value: string) =>
    value.replace(/\$\{([A-Z_]+):([-?])([^}]*)\}/g, (_, variable: string, kind: string, words: string) => {
      if (!given[variable] && kind === '?') throw new Error(`${variable}: ${words}`);
      return given[variable] || words;
    });
  const lines = [...block.matchAll(/^ {4}([A-Z_]+): (.*)$/gm)];
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, fill(value)]));
}

describe('docker compose', () => {
  test('gives every container a limit of memory and no rights that it does not need', () => {
    const text = readText('compose.yaml');
    const blocksOf = (part: string, indent: string) =>
      part.split(new RegExp(`^${indent}(?=[a-z][a-z-]*:)`, 'm')).slice(1);
    const [confined = '', service = ''] = blocksOf(text, '');
    expect(confined).toMatch(
      /^x-confined: &confined\n {2}cap_drop: \[ALL\]\n {2}security_opt: .*no-new-privileges:true/,
    );
    for (const line of ['<<: *confined', 'read_only: true', 'tmpfs: [/tmp]', 'mem_limit: 2g'])
      expect(service).toContain(`\n  ${line}\n`);
    const services = blocksOf(text.slice(text.indexOf('\nservices:'), text.indexOf('\nvolumes:')), ' {2}');
    const names = services.map((block) => block.split(':')[0]);
    expect(names).toEqual(['mongo', 'redis', 'release', 'api', 'worker']);
    for (const block of services)
      expect(block).toMatch(/\n {4}<<: (?:\*service\n|\*confined\n[\s\S]*\n {4}mem_limit: \dg\n)/);
    // The images of the stores begin as root.
    expect(text.match(/cap_add/g)).toHaveLength(2);
  });

  test('has a Redis that refuses writes before its limit of memory would kill it', () => {
    const [, redis = ''] = /\n {2}redis:\n([\s\S]*?)\n\n/.exec(readText('compose.yaml')) ?? [];
    const [, limit] = /mem_limit: (\d+)g/.exec(redis) ?? [];
    const [, most] = /- --maxmemory\n +- (\d+)mb/.exec(redis) ?? [];
    expect(Number(most) / 1_024).toBeLessThan(0.75 * Number(limit));
  });

  test.each([
    ['alone', {}],
    ['in .env.example, whose addresses are not those of the containers', parseEnv(readText('.env.example'))],
  ])('starts in production with the secrets of npm run secrets %s', (_, example) => {
    const env = { ...example, ...secrets };
    const config = readConfig({ ...env, ...composeEnvironment(env) });
    expect(config).toMatchObject({ nodeEnv: 'production', port: 8_080, signingKey: env.SIGNING_KEY });
    expect(new URL(config.mongodbUrl).host).toBe('mongo:27017');
  });

  test.each(['OPERATOR_TOKEN', 'API_KEY_PEPPER', 'CURSOR_SECRET', 'WEBHOOK_SECRET_KEYS', 'SIGNING_KEY'])(
    'does not start without %s',
    (name) => {
      expect(() => composeEnvironment({ ...secrets, [name]: '' })).toThrow(`${name}: run npm run secrets`);
    },
  );
});

describe('npm run secrets', () => {
  test('changes nothing when every secret is there, and keeps the file from other users', () => {
    expect(runSecrets()).toEqual(secrets);
    expect(statSync(envFile).mode & 0o777).toBe(0o600);
  });

  test('fills in what .env.example leaves empty and touches no other line', () => {
    const example = readText('.env.example');
    const { text, added } = fillEnvFile(example, { CURSOR_SECRET: 'c', PORT: '1', SIGNING_KEY: '{"a":1}' });
    expect(added).toEqual(['CURSOR_SECRET', 'SIGNING_KEY']);
    const changed = text.split('\n').filter((line, at) => line !== example.split('\n')[at]);
    expect(changed).toEqual(['CURSOR_SECRET=c', `SIGNING_KEY='{"a":1}'`]);
    expect(parseEnv(text)).toMatchObject({ PORT: '8080', SIGNING_KEY: '{"a":1}' });
  });
});

test('npm run secrets replaces no secret whose line is written in another way', () => {
  const kept = 'export API_KEY_PEPPER=a\nCURSOR_SECRET = b\n  SESSION_SECRET=c\nexport OPERATOR_TOKEN=\n';
  const fresh = { API_KEY_PEPPER: 'x', CURSOR_SECRET: 'x', SESSION_SECRET: 'x', OPERATOR_TOKEN: 'x' };
  const { text, added } = fillEnvFile(kept, fresh);
  expect(added).toEqual(['OPERATOR_TOKEN']);
  const left = { API_KEY_PEPPER: 'a', CURSOR_SECRET: 'b', SESSION_SECRET: 'c' };
  expect(parseEnv(text)).toEqual({ ...left, OPERATOR_TOKEN: 'x' });
});

test.each(['.gitignore', '.dockerignore'])('%s leaves out every .env file but the example', (file) => {
  const lines = readText(file).split('\n');
  expect(lines.indexOf('.env*')).toBeGreaterThanOrEqual(0);
  expect(lines.indexOf('!.env.example')).toBeGreaterThan(lines.indexOf('.env*'));
});

describe('the production install', () => {
  const { dependencies, devDependencies } = JSON.parse(readText('package.json'));

  test('has every package that the processes of the Procfile and the governor import', () => {
    const entries = ['api/main.ts', 'workers/main.ts', 'scripts/release.ts', 'scripts/governor.ts'];
    const imported = packagesOf(entries);
    expect(imported.size).toBeGreaterThan(10);
    expect([...imported].filter((name) => !(name in dependencies))).toEqual([]);
  });

  test('has no identity provider', () => {
    expect(Object.keys(dependencies)).not.toContain('oidc-provider');
    expect(Object.keys(devDependencies)).toContain('oidc-provider');
    expect(readText('Dockerfile')).toContain('--omit=dev');
    expect(JSON.parse(readText('package-lock.json')).packages['node_modules/oidc-provider'].dev).toBe(true);
  });
});

const IMPORT = /^(?:import\b[^;'"]*?|export\b[^;'"=(]*?\bfrom\s*)'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** The packages that these files import, directly or by a file that they import. */
function packagesOf(entries: readonly string[]): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, imported, loaded] of readText(file).matchAll(IMPORT)) {
      const target = imported ?? loaded ?? '';
      if (target.startsWith('.')) {
        if (/\.[mj]?[tj]s$/.test(target)) waiting.push(normalize(join(dirname(file), target)));
      } else if (!isBuiltin(target)) {
        const parts = target.split('/').slice(0, target.startsWith('@') ? 2 : 1);
        packages.add(parts.join('/'));
      }
    }
  }
  return packages;
}
