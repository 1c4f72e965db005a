import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { sendSignal } from '../stack/processes.ts';

/**
 * `caught`: a test failed, or hung. `survived`: every test passed with the fault in. `by` is the first test that failed and
 * its error, because one that timed out on a busy machine proves little.
 */
export type Outcome = { verdict: 'caught'; by: string } | { verdict: 'survived' };

const FIRST_FAILURE = join(import.meta.dirname, 'first-failure.ts');
const PATIENCE_MS = 240_000;
/** A test waits in vain with most faults in, so it waits less than it may on a slow machine. Milliseconds. */
export const PATIENCE_OF_TESTS = { TEST_PATIENCE_MS: '20000' };
const FILES_OF_ONE_WORKER = 3;
/** For the tests of many faults together. */
const BASELINE_PATIENCE_MS = 1_800_000;

/** A file with a fault in it, and the tests that must notice. */
export interface FaultyFile {
  file: string;
  text: string;
  tests: readonly string[];
  patienceMs?: number;
}

/**
 * Plants a fault into a copy of the tree, runs its tests there and takes the fault out again. Throws when it has no tests, and
 * when the signal stops it.
 */
export async function runFault(
  tree: string,
  { tests, patienceMs = PATIENCE_MS, ...faulty }: FaultyFile,
  env: Record<string, string>,
  stop?: AbortSignal,
): Promise<Outcome> {
  const file = join(tree, faulty.file);
  const before = readFileSync(file, 'utf8');
  const { atime, mtime } = statSync(file);
  const write = (text: string) => {
    writeFileSync(file, text);
    // A source that is newer has the dashboard built anew, which takes only types of the server's files.
    if (!faulty.file.startsWith('packages/dashboard/')) utimesSync(file, atime, mtime);
  };
  write(faulty.text);
  try {
    const log = join(tree, 'mutation.log');
    const passed = await passes(tree, tests, { ...env, ...PATIENCE_OF_TESTS }, { log, stop, patienceMs });
    return passed ? { verdict: 'survived' } : { verdict: 'caught', by: firstFailure(log) };
  } finally {
    write(before);
  }
}

/** Returns true when the tests of many faults pass in a tree without any fault. Shows their output. */
export function passBefore(
  tree: string,
  tests: readonly string[],
  env: Record<string, string>,
  stop: AbortSignal,
): Promise<boolean> {
  return passes(tree, tests, env, { patienceMs: BASELINE_PATIENCE_MS, stop });
}

interface Conditions {
  patienceMs?: number;
  /** The file for the output of the tests. Without one it is shown. */
  log?: string;
  stop?: AbortSignal | undefined;
}

/** Returns true when these tests pass in a tree at the first try. Tests that hang do not. Throws when `stop` ends them. */
export async function passes(
  tree: string,
  tests: readonly string[],
  env: Record<string, string>,
  { patienceMs = PATIENCE_MS, log, stop }: Conditions = {},
): Promise<boolean> {
  stop?.throwIfAborted();
  const there = tests.filter((path) => existsSync(join(tree, path)));
  if (there.length === 0) throw new Error(`None of these tests exist: ${tests.join(', ')}`);
  const path = [join(tree, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const output = log === undefined ? 'inherit' : openSync(log, 'w');
  const reporters = ['dot', FIRST_FAILURE].flatMap((name) => ['--reporter', name]);
  // Files of one worker load the code once.
  const workers = ['--maxWorkers', there.length > FILES_OF_ONE_WORKER ? '2' : '1'];
  const child = spawn('vitest', ['run', '--bail', '1', ...workers, ...reporters, ...there], {
    cwd: tree,
    env: { ...process.env, ...env, CI: '', PATH: path },
    // A group of its own: a run ends with everything that it has started, also when it hangs or a test stops it early.
    detached: true,
    stdio: ['ignore', output, output],
  });
  if (output !== 'inherit') closeSync(output);
  const endGroup = () => child.pid && sendSignal(-child.pid, 'SIGKILL');
  const timer = setTimeout(endGroup, patienceMs);
  stop?.addEventListener('abort', endGroup);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  stop?.removeEventListener('abort', endGroup);
  endGroup();
  stop?.throwIfAborted();
  return code === 0;
}

function firstFailure(log: string): string {
  const text = stripVTControlCharacters(readFileSync(log, 'utf8'));
  const [, test, error] = /^ *FAIL +(.+)\s+(.+)/m.exec(text) ?? [];
  return test ? `${test}: ${error}` : 'no test that says so';
}
