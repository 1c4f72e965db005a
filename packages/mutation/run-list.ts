import { ROOT } from '../stack/files.ts';
import { type Fault, plant } from './fault.ts';
import { type Copy, inCopy } from './in-copy.ts';
import { FAULTS } from './list.ts';
import { type Outcome, passBefore, runFault } from './run-fault.ts';

/** The least part of the planted faults that must be caught. */
const LEAST_SCORE = 0.9;

interface Chosen {
  area: string;
  fault: Fault;
}

/** Plants each fault of these areas of which the name has one of the words, and names those that no test noticed. */
export async function runList(areas: readonly string[], words: readonly string[]): Promise<void> {
  const unknown = areas.find((name) => !(name in FAULTS));
  if (unknown) throw new Error(`There is no area ${unknown}, only ${Object.keys(FAULTS).join(', ')}.`);
  const chosen = Object.entries(FAULTS)
    .filter(([area]) => areas.length === 0 || areas.includes(area))
    .flatMap(([area, faults]) => faults.map((fault) => ({ area, fault })))
    .filter(({ fault }) => words.length === 0 || words.some((word) => fault.what.includes(word)));
  // A fault that cannot be planted is named before anything runs.
  for (const { fault } of chosen) plant(ROOT, fault);
  await inCopy((copy) => runAll(chosen, copy));
}

async function runAll(chosen: readonly Chosen[], { tree, env, stop }: Copy): Promise<void> {
  const tests = [...new Set(chosen.flatMap(({ fault }) => fault.tests))];
  if (!(await passBefore(tree, tests, env, stop)))
    throw new Error('The tests fail without any fault. Mend them first.');
  const survivors: string[] = [];
  let caught = 0;
  for (const { area, fault } of chosen) {
    const faulty = { file: fault.file, text: plant(tree, fault), tests: fault.tests };
    const outcome = await runFault(tree, faulty, env, stop);
    if (outcome.verdict === 'caught') caught += 1;
    else if (!fault.equivalent) survivors.push(`${area}: ${fault.what} (${fault.file})`);
    console.log(`${wordFor(outcome, fault)}  ${area}: ${fault.what}`);
    if (outcome.verdict === 'caught') console.log(`            by ${outcome.by}`);
  }
  for (const survivor of survivors) console.log(`survived: ${survivor}`);
  const counted = caught + survivors.length;
  console.log(`${caught} of ${counted} faults were caught`);
  if (caught < LEAST_SCORE * counted) process.exitCode = 1;
}

function wordFor({ verdict }: Outcome, { equivalent }: Fault): string {
  if (verdict === 'caught') return 'caught    ';
  return equivalent ? 'equivalent' : 'SURVIVED  ';
}
