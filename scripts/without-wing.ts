import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../packages/stack/files.ts';
import NEEDS from '../shared/tables/needs.json' with { type: 'json' };
import { removeWings, type Tree } from './wings/remove.ts';

/** The tests that must pass without any wing: about a minute of them. */
export const CORE_TESTS = [
  'test/shared/core/hooks',
  'test/shared/core/calls/sessions',
  'test/shared/core/calls/signals',
  'test/shared/core/retention',
  'test/shared/tables/declared.test.ts',
  'test/api/signals.test.ts',
  'test/api/budget-checks.test.ts',
];

/** Every wing, by the folders of shared/wings. */
export function wingNames(paths: Iterable<string>): string[] {
  const names = [...paths].map((path) => /^shared\/wings\/([^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** A wing, and those that cannot do without it. */
export function withThoseThatNeedIt(name: string): string[] {
  const others = Object.entries(NEEDS).filter(([, needed]) => needed.includes(name));
  return [name, ...others.map(([other]) => other)];
}

/** Two of the wings, which change with the day of the month: each has its turn. */
export function wingsOfDay(all: readonly string[], day: number): string[] {
  return [2 * day, 2 * day + 1].map((place) => all[place % all.length] ?? '');
}

/** The source files of this repository, as they are in the working tree. */
export function readTree(): Tree {
  const sources = globSync('{api,workers,shared,scripts,packages,test}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist'],
  });
  return new Map(sources.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

function trackedFiles(): string[] {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  return execFileSync('git', ['ls-files', '-z'], options).split('\0').filter(Boolean);
}

/** Writes a copy of the repository without these wings, and returns its folder. */
function writeCopy(names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'without-wing-'));
  const whole = readTree();
  const tree = removeWings(whole, names);
  for (const path of trackedFiles()) {
    const target = join(folder, path);
    const text = tree.get(path);
    if (text === undefined && whole.has(path)) continue;
    mkdirSync(dirname(target), { recursive: true });
    if (text === undefined) cpSync(join(ROOT, path), target);
    else writeFileSync(target, text);
  }
  // The dashboard is checked against the whole API: pages of the core show some answers of wings.
  cpSync(join(ROOT, API_TYPES), join(folder, API_TYPES));
  // A clean checkout has no stores yet: the tests of the first copy install them for all.
  mkdirSync(join(ROOT, '.stores'), { recursive: true });
  for (const linked of ['node_modules', '.stores']) symlinkSync(join(ROOT, linked), join(folder, linked));
  return folder;
}

/** The types of the API's answers, which are made from its document. */
const API_TYPES = 'api/docs/client.d.ts';

/** Everything that users run. */
const PRODUCT = ['api', 'workers', 'shared', 'scripts', 'packages/dashboard', 'packages/governor'];

/** The checks of a copy, in their order: the types of the product and of these tests, without the other rules of oxlint. */
const STEPS: readonly (readonly [string, readonly string[]])[] = [
  ['its types', ['oxlint', '-A', 'all', '--type-aware', '--type-check', ...PRODUCT, ...CORE_TESTS]],
  [
    'its imports',
    [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      '--',
      ...'api workers shared scripts packages test'.split(' '),
    ],
  ],
  ['the tests of the core', ['vitest', 'run', '--project', 'tests', ...CORE_TESTS]],
];

/** Checks the copy step by step. Returns the step that failed, or null. */
function check(folder: string): string | null {
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` };
  for (const [step, [command = '', ...args]] of STEPS) {
    const { status } = spawnSync(command, args, { cwd: folder, env, stdio: 'inherit' });
    if (status !== 0) return step;
  }
  return null;
}

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { today: { type: 'boolean' } },
  });
  const all = wingNames(trackedFiles());
  const names = values.today ? wingsOfDay(all, new Date().getUTCDate()) : positionals;
  const unknown = names.find((name) => !all.includes(name));
  if (names.length === 0 || unknown !== undefined) {
    console.error(
      `Name a wing, or several to take out one after the other: ${all.join(', ')}. --today takes two.`,
    );
    process.exit(2);
  }
  execFileSync(process.execPath, ['scripts/dashboard/build.ts', '--types'], { cwd: ROOT, stdio: 'inherit' });
  for (const name of names) {
    const removed = withThoseThatNeedIt(name);
    console.log(`Without ${removed.join(' and ')}:`);
    const folder = writeCopy(removed);
    const failed = check(folder);
    rmSync(folder, { recursive: true });
    if (failed === null) continue;
    console.error(`Without ${removed.join(' and ')} ${failed} fail.`);
    process.exitCode = 1;
  }
}
