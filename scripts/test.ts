import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CHROMIUM, CHROMIUM_PLACES } from './stack/chromium.ts';
import { ROOT, readJson } from './stack/files.ts';
import { say } from './stack/progress.ts';
import { describeOutcome, type Outcome, outcome } from './testing/outcome.ts';

const checked = await run('npm', ['run', 'check']);
const tests = await runTests(process.argv.slice(2));
if (!checked)
  say('\nnpm run check failed (its reasons are above, before the tests); it counts as one failure.');
const failed = tests.failed + (checked ? 0 : 1);
if (CHROMIUM === null)
  say(
    `\nSKIPPED: the dashboard's tests in a browser. No Chromium was found at ${CHROMIUM_PLACES.join(', ')} or in CHROMIUM.`,
  );
process.stdout.write(`\n${describeOutcome({ ...tests, failed }).join('\n')}\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Whatever makes vitest fail without a failed test (a file that does not load, an unhandled error) counts as one failure. */
async function runTests(args: string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-outcome-'));
  const file = join(folder, 'outcome.json');
  const succeeded = await run('vitest', ['run', ...args], { TEST_OUTCOME_FILE: file });
  const none = { passed: 0, failed: 0, skipped: [], retried: [] };
  const told = outcome.nullable().parse(readJson(file)) ?? none;
  rmSync(folder, { recursive: true, force: true });
  return succeeded ? told : { ...told, failed: Math.max(told.failed, 1) };
}

/** True when the command ends with 0. Node 26 and the tools of node_modules come first on its PATH. */
async function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const path = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, PATH: path },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}
