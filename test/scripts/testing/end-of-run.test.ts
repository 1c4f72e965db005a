import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { endOfRun } from '../../../scripts/testing/end-of-run.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let told: string;
beforeEach(() => {
  told = join(temporaryFolder(), 'told');
});

const run = (script: string) => spawn(process.execPath, ['-e', script, told], { stdio: 'inherit' });
const TELL = `require('node:fs').writeFileSync(process.argv[1], '');`;
const HANG = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000);';

test('a runner that has told its outcome and hangs is killed, and has no exit code', async () => {
  const end = await endOfRun(run(TELL + HANG), () => existsSync(told), 200);
  expect(end).toEqual({ code: null });
});

test('a runner that ends by itself keeps its exit code, however long it ran before it told', async () => {
  const slow = run(`setTimeout(() => { ${TELL} process.exit(3); }, 500);`);
  expect(await endOfRun(slow, () => existsSync(told), 60_000)).toEqual({ code: 3 });
});

test('patience counts from the outcome, not from the start', async () => {
  const slow = run('setTimeout(() => process.exit(4), 1000);');
  expect(await endOfRun(slow, () => existsSync(told), 1)).toEqual({ code: 4 });
});
