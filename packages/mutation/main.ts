import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/stack/files.ts';
import { findFreePort } from '../../scripts/stack/ports.ts';
import { startMongo, startRedis } from '../../scripts/stack/stores.ts';
import { copyTree } from './copy-tree.ts';
import { type Fault, plant } from './fault.ts';
import { FAULTS } from './list.ts';
import { type Outcome, passBefore, runFault } from './run-fault.ts';

/**
 * `npm run mutation -- [AREA …] [--only WORDS …]`: plants each fault of the list into a copy of the tree and runs the tests
 * that must notice. Names those that no test noticed, and fails when they are more than a tenth.
 */
const LEAST_SCORE = 0.9;

const args = process.argv.slice(2);
const at = args.indexOf('--only');
const only = at === -1 ? [''] : args.slice(at + 1);
const areas = at === -1 ? args : args.slice(0, at);
const unknown = areas.find((name) => !(name in FAULTS));
if (unknown) throw new Error(`There is no area ${unknown}, only ${Object.keys(FAULTS).join(', ')}.`);
const chosen = Object.entries(FAULTS)
  .filter(([area]) => areas.length === 0 || areas.includes(area))
  .flatMap(([area, faults]) => faults.map((fault) => ({ area, fault })))
  .filter(({ fault }) => only.some((words) => fault.what.includes(words)));
// A fault that cannot be planted is named before anything runs.
for (const { fault } of chosen) plant(ROOT, fault);

// A run that is told to end takes its tests and its stores with it.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopping.abort(`ended by ${signal}`));

const folder = mkdtempSync(join(tmpdir(), 'usage-governor-mutation-stores-'));
const mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo'), fast: true });
const redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis'), fast: true });
const tree = copyTree();
try {
  await runAll({ MONGODB_URL: mongo.url, REDIS_URL: redis.url });
} finally {
  await Promise.all([mongo.stop(), redis.stop()]);
  for (const made of [tree, folder]) rmSync(made, { recursive: true, force: true });
}

async function runAll(env: Record<string, string>): Promise<void> {
  const tests = [...new Set(chosen.flatMap(({ fault }) => fault.tests))];
  if (!(await passBefore(tree, tests, env, stopping.signal)))
    throw new Error('The tests fail without any fault. Mend them first.');
  const survivors: string[] = [];
  let caught = 0;
  for (const { area, fault } of chosen) {
    const outcome = await runFault(tree, fault, env, stopping.signal);
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
