import { type ChosenTest, createChooser } from './choose-tests.ts';
import { readRecords } from './coverage.ts';
import { type ChanceFault, planted, showFault } from './draw.ts';
import { type Copy, inCopy } from './in-copy.ts';
import { type FaultyFile, type Outcome, PATIENCE_OF_TESTS, passes, runFault } from './run-fault.ts';

/** The least part of the faults that must be caught. */
const LEAST_SCORE = 0.85;
/** Test files that run first, and alone: most faults end here. */
const FIRST_FILES = 3;
/** Errors of a test that waited for something. */
const OF_TIME = /in vain|longer than|timed out|does not answer|unavailable/i;
/** They kill processes and cut connections, and fail by chance more often than others. */
const DRILLS = 'test/drills/';
/** Beyond what the tests took when they were recorded. */
const PATIENCE_MS = 90_000;
/** A test that waits in vain, or a busy machine. */
const TIMES_SLOWER = 4;

/** Runs the tests of each fault, shows those that no test noticed, and the rate by folder. */
export async function runChance(faults: readonly ChanceFault[]): Promise<void> {
  // All of it before the run, which goes by its copy of the tree: somebody may go on working in this one.
  const choose = createChooser(readRecords());
  const chosen = faults.map((fault) => ({ fault, tests: choose(fault) }));
  const caught = new Map<ChanceFault, boolean>();
  try {
    await inCopy(async (copy) => {
      const isGood = createBaseline(copy);
      for (const { fault, tests } of chosen) {
        const faulty = { file: fault.file, text: planted(fault, copy.tree) };
        const outcome = await runTests(faulty, tests, copy, isGood);
        caught.set(fault, outcome.verdict === 'caught');
        console.log(`${outcome.verdict === 'caught' ? 'caught  ' : 'SURVIVED'}  ${fault.id}`);
        if (outcome.verdict === 'caught') console.log(`    by ${outcome.by}`);
        else console.log(describeSurvivor(fault, tests, copy.tree));
      }
    });
  } finally {
    // Also when the run is ended before.
    for (const line of ratesByFolder(caught)) console.log(line);
  }
  const score = [...caught.values()].filter(Boolean).length / caught.size;
  if (score < LEAST_SCORE) process.exitCode = 1;
}

type IsGood = (test: string) => Promise<boolean>;

/** Returns whether a test file passes without a fault, with as much patience. Each is tried once. */
export function createBaseline({ tree, env, stop }: Copy): IsGood {
  const known = new Map<string, Promise<boolean>>();
  return (test) => {
    const result =
      known.get(test) ??
      passes(tree, [test], { ...env, ...PATIENCE_OF_TESTS }, { log: `${tree}/mutation.log`, stop });
    known.set(test, result);
    return result;
  };
}

/** The first tests, then the others. A test file that fails without the fault too proves nothing, and is left out. */
export async function runTests(
  faulty: Pick<FaultyFile, 'file' | 'text'>,
  tests: readonly ChosenTest[],
  { tree, env, stop }: Copy,
  isGood: IsGood,
): Promise<Outcome> {
  const waiting = [tests.slice(0, FIRST_FILES), tests.slice(FIRST_FILES)];
  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    if (batch.length === 0) continue;
    const patienceMs =
      PATIENCE_MS + TIMES_SLOWER * 1_000 * batch.reduce((sum, { seconds }) => sum + seconds, 0);
    const paths = batch.map(({ path }) => path);
    const outcome = await runFault(tree, { ...faulty, tests: paths, patienceMs }, env, stop);
    if (outcome.verdict === 'survived') continue;
    const failing = paths.find((path) => outcome.by.includes(path));
    if (!failing) return outcome;
    // A busy machine is no fault: a test that waited too long, and a drill, must fail twice.
    const again =
      OF_TIME.test(outcome.by) || failing.startsWith(DRILLS)
        ? await runFault(tree, { ...faulty, tests: [failing] }, env, stop)
        : outcome;
    if (again.verdict === 'caught' && (await isGood(failing))) return outcome;
    waiting.unshift(batch.filter(({ path }) => path !== failing));
  }
  return { verdict: 'survived' };
}

function describeSurvivor(fault: ChanceFault, tests: readonly ChosenTest[], tree: string): string {
  const ran = tests.map(({ path }) => path).join(' ') || 'nothing: no test file runs this code';
  return [
    showFault(fault, tree),
    `    ran ${ran}`,
    `    again: npm run mutation -- --fault ${fault.id}`,
  ].join('\n');
}

/** The rate of each folder, three deep, and of all. */
function ratesByFolder(caught: ReadonlyMap<ChanceFault, boolean>): string[] {
  const folderOf = (file: string) => file.split('/').slice(0, -1).slice(0, 3).join('/');
  const folders = Map.groupBy(caught, ([{ file }]) => folderOf(file));
  const rows = [...folders, ['all', [...caught]] as const];
  return rows.map(([folder, results]) => {
    const count = results.filter(([, isCaught]) => isCaught).length;
    const percent = Math.round((100 * count) / results.length);
    return `${folder.padEnd(28)} ${String(count).padStart(3)} of ${String(results.length).padStart(3)}  ${String(percent).padStart(3)} %`;
  });
}
