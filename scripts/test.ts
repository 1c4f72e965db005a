import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { CHROMIUM, CHROMIUM_PLACES } from './chromium.ts';
import { ROOT, readJson } from './stack/files.ts';
import { say } from './stack/progress.ts';

/** Vitest's JSON report, as far as it is read here. */
const report = z.object({ numPassedTests: z.int(), numFailedTests: z.int() });

const checked = await run('npm', ['run', 'check']);
const tests = await runTests(process.argv.slice(2));
if (!checked)
  say('\nnpm run check failed (its reasons are above, before the tests); it counts as one failure.');
const failed = tests.failed + (checked ? 0 : 1);
if (CHROMIUM === null)
  say(
    `\nSKIPPED: the dashboard's tests in a browser. No Chromium was found at ${CHROMIUM_PLACES.join(', ')} or in CHROMIUM.`,
  );
process.stdout.write(`\n${tests.passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Whatever makes vitest fail without a failed test (a file that does not load, an unhandled error) counts as one failure. */
async function runTests(args: string[]): Promise<{ passed: number; failed: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-report-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const succeeded = await run('vitest', ['run', ...reporters, ...args]);
  const counted = report.safeParse(readJson(file));
  rmSync(folder, { recursive: true, force: true });
  const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = counted.data ?? {};
  return { passed, failed: succeeded ? failed : Math.max(failed, 1) };
}

/** True when the command ends with 0. Node 26 and the tools of node_modules come first on its PATH. */
async function run(command: string, args: string[]): Promise<boolean> {
  const path = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, PATH: path }, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}
