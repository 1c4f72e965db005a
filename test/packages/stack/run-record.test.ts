import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { writePrivateJson } from '../../../packages/stack/files.ts';
import { identify, isAlive } from '../../../packages/stack/processes.ts';
import { claimRun, endLeftovers, releaseRun } from '../../../packages/stack/run-record.ts';
import { newDataDir } from '../../support/up-run.ts';

const folders: string[] = [];
const DEAD = { pid: 2 ** 22 + 1, started: 'never' };

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test('a folder that a live process has claimed is refused, and free again when it lets go', async () => {
  const folder = newFolder();
  const run = await claimRun(folder);
  await expect(claimRun(folder)).rejects.toThrow(`(pid ${process.pid}) already uses`);
  releaseRun(run);
  expect(existsSync(run.file)).toBe(false);
  releaseRun(await claimRun(folder));
});

test('what a killed run left alive is ended before the folder is claimed', async () => {
  const folder = newFolder();
  const left = await startSleeper();
  writePrivateJson(join(folder, 'run.json'), { run_id: 'old', owner: DEAD, processes: [left] });
  await claimRun(folder);
  expect(isAlive(left)).toBe(false);
});

test('a process that only has the pid of a recorded one is left alone', async () => {
  const folder = newFolder();
  const stranger = await startSleeper();
  const recorded = { pid: stranger.pid, started: 'at another time' };
  writePrivateJson(join(folder, 'run.json'), { run_id: 'old', owner: recorded, processes: [recorded] });
  await claimRun(folder);
  expect(isAlive(stranger)).toBe(true);
  process.kill(stranger.pid);
});

test('the guard of an old run ends nothing of a newer one', async () => {
  const folder = newFolder();
  const newer = await startSleeper();
  writePrivateJson(join(folder, 'run.json'), { run_id: 'new', owner: DEAD, processes: [newer] });
  await endLeftovers(folder, 'old');
  expect(isAlive(newer)).toBe(true);
  process.kill(newer.pid);
});

test('a record that cannot be read is named instead of guessed at', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'run.json'), '{');
  await expect(claimRun(folder)).rejects.toThrow('cannot be read');
});

function newFolder(): string {
  const folder = newDataDir();
  folders.push(folder);
  return folder;
}

async function startSleeper() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const found = child.pid === undefined ? null : identify(child.pid);
  if (found === null) throw new Error('no sleeper');
  return found;
}
