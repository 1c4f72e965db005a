import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CHROMIUM, CHROMIUM_PLACES } from '../packages/stack/chromium.ts';
import { ROOT, readJson } from '../packages/stack/files.ts';
import { say } from '../packages/stack/progress.ts';
import { endOfRun } from './testing/end-of-run.ts';
import { describeOutcome, type Outcome, outcome } from './testing/outcome.ts';

/** How long vitest may take to end once all tests have ended. Its stores stop within ten seconds. */
const PATIENCE_MS = 120_000;
/**
 * Runs test/shared, test/api, test/workers and the drills with an embedded MongoDB that behaves as a mongod 8 (docs/stores.md).
 * Without it a third of the files of these three folders runs so, another one each day.
 */
const FACE = '--mongod-face';
const BEHIND_FACE = ['--project', 'mongod-face', '--project', 'drills'];

const [checkCode] = await once(start('npm', ['run', 'check']), 'exit');
const checked = checkCode === 0;
const args = process.argv.slice(2);
const tests = await runTests(args.filter((arg) => arg !== FACE));
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
async function runTests(given: string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-outcome-'));
  const file = join(folder, 'outcome.json');
  const isBehindFace = args.includes(FACE);
  const vitest = start('vitest', ['run', ...(isBehindFace ? BEHIND_FACE : []), ...given], {
    TEST_OUTCOME_FILE: file,
    MONGOD_FACE: isBehindFace ? 'all' : 'sample',
  });
  const { code } = await endOfRun(vitest, () => existsSync(file), PATIENCE_MS);
  const none = { passed: 0, failed: 0, skipped: [], retried: [], succeeded: false };
  const told = outcome.nullable().parse(readJson(file)) ?? none;
  rmSync(folder, { recursive: true, force: true });
  if (code === null)
    say('\nvitest did not end after its last test and was killed; what it told before that counts.');
  const succeeded = code === null ? told.succeeded : code === 0;
  return succeeded ? told : { ...told, failed: Math.max(told.failed, 1) };
}

/** Starts a command. Node 26 and the tools of node_modules come first on its PATH. */
function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const path = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, PATH: path },
    stdio: 'inherit',
  });
}
