import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { draw, faultsOf, productFiles, showFault } from './draw.ts';
import { runChance } from './run-chance.ts';
import { runList } from './run-list.ts';

// npm run mutation -- --seed N [--count 60] [--list] [PATH …]: faults by chance, and the tests that ran their code.
// npm run mutation -- --fault ID …: such faults again.
// npm run mutation -- --record [TEST …]: records which code each test file runs.
// npm run mutation -- [AREA …] [--only WORDS …]: the planted faults of the list.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '60' },
    list: { type: 'boolean', default: false },
    fault: { type: 'string', multiple: true, default: [] },
    record: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  },
});

if (values.record) await record(positionals);
else if (values.fault.length > 0) await runChance(values.fault.map(findFault));
else if (values.seed === undefined) await runList(positionals, values.only);
else {
  const faults = draw(faultsOf(productFiles(positionals)), Number(values.seed), Number(values.count));
  console.log(`${faults.length} faults of seed ${values.seed}`);
  if (values.list) for (const fault of faults) console.log(`${fault.id}\n${showFault(fault)}`);
  else await runChance(faults);
}

function findFault(id: string) {
  const found = faultsOf([id.replace(/:.*/, '')]).find((fault) => fault.id === id);
  if (!found) throw new Error(`There is no fault ${id} in this tree. --list shows those of a seed.`);
  return found;
}

/** Runs the tests with the switch, and without compiled code of earlier runs: it hides functions that ran. */
async function record(tests: readonly string[]): Promise<void> {
  const env = { ...process.env, TEST_COVERAGE: '1', NODE_COMPILE_CACHE: '' };
  // With maps, by which the coverage of pages is that of their sources.
  await once(spawn('node', ['scripts/dashboard/build.ts'], { env, stdio: 'inherit' }), 'exit');
  const [code] = await once(spawn('vitest', ['run', ...tests], { env, stdio: 'inherit' }), 'exit');
  process.exitCode = code ?? 1;
}
