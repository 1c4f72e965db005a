import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writePrivateJson } from '../../../packages/stack/files.ts';
import { identify, isAlive } from '../../../packages/stack/processes.ts';
import { claimRun, endLeftovers, releaseRun } from '../../../packages/stack/run-record.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const DEAD = { pid: 2 ** 22 + 1, started: 'never' };

test('a folder that a live process has claimed is refused, and free again when it lets go', async () => {
  const folder = temporaryFolder();
  const run = await claimRun(folder);
  await expect(claimRun(folder)).rejects.toThrow(`(pid ${process.pid}) already uses`);
  releaseRun(run);
  expect(existsSync(run.file)).toBe(false);
  releaseRun(await claimRun(folder));
});

test('what a killed run left alive is ended before the folder is claimed', async () => {
  const folder = temporaryFolder();
  const left = await startSleeper();
  writePrivateJson(join(folder, 'run.json'), { run_id: 'old', owner: DEAD, processes: [left] });
  await claimRun(folder);
  expect(isAlive(left)).toBe(false);
});

test('a process that only has the pid of a recorded one is left alone', async () => {
  const folder = temporaryFolder();
  const stranger = await startSleeper();
  const recorded = { pid: stranger.pid, started: 'at another time' };
  writePrivateJson(join(folder, 'run.json'), { run_id: 'old', owner: recorded, processes: [recorded] });
  await claimRun(folder);
  expect(isAlive(stranger)).toBe(true);
});

test('the guard of an old run ends nothing of a newer one', async () => {
  const folder = temporaryFolder();
  const newer = await startSleeper();
  writePrivateJson(join(folder, 'run.json'), { run_id: 'new', owner: DEAD, processes: [newer] });
  await endLeftovers(folder, 'old');
  expect(isAlive(newer)).toBe(true);
});

test('a record that cannot be read is named instead of guessed at', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'run.json'), '{');
  await expect(claimRun(folder)).rejects.toThrow('cannot be read');
});

async function startSleeper() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  onTestFinished(() => void child.kill());
  const found = child.pid === undefined ? null : identify(child.pid);
  if (found === null) throw new Error('no sleeper');
  return found;
}
