import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { NODE, ROOT } from '../../../packages/stack/files.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const WANTED = {
  '': {},
  'node_modules/a': { version: '1.0.0' },
  'node_modules/b': { version: '2.0.0', optional: true },
};

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: WANTED }));
});

test('an installation without the optional packages of other systems is whole', () => {
  installed({ 'node_modules/a': { version: '1.0.0' } });
  expect(isInstalled()).toBe(true);
});

test('a missing package, another version and an unfinished installation are not', () => {
  expect(isInstalled()).toBe(false);
  for (const packages of [{}, { 'node_modules/a': { version: '1.0.1' } }]) {
    installed(packages);
    expect(isInstalled()).toBe(false);
  }
});

function installed(packages: object): void {
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
}

function isInstalled(): boolean {
  return spawnSync(NODE, [join(ROOT, 'packages/stack/is-installed.mjs'), folder]).status === 0;
}
