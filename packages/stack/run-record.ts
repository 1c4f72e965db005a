import { randomUUID } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './files.ts';
import { endOneByOne, identify, isAlive, type ProcessIdentity } from './processes.ts';
import { say } from './progress.ts';
import { SetupError } from './setup-error.ts';

const identity = z.object({ pid: z.int(), started: z.string() });
const runRecord = z.object({ run_id: z.string(), owner: identity, processes: z.array(identity) });
type RunRecord = z.infer<typeof runRecord>;

/** A claimed data folder: `run.json` in it says who runs on it and what was started. */
export type Run = { file: string; record: RunRecord };

/**
 * Claims the data folder for this process. A record that a killed run left behind is taken over,
 * after the processes that it names have been ended; a live one is refused.
 */
export async function claimRun(dataDir: string): Promise<Run> {
  const file = join(dataDir, 'run.json');
  const run = { file, record: { run_id: randomUUID(), owner: identifyMyself(), processes: [] } };
  while (!tryToCreate(run)) {
    const other = readRecord(file);
    if (other === null) continue;
    if (isAlive(other.owner)) {
      throw new SetupError(
        `Another run (pid ${other.owner.pid}) already uses ${dataDir}.`,
        `Stop it (kill ${other.owner.pid}), or give this one its own folder: scripts/up --data .data-2 --port 8081`,
      );
    }
    await takeOver(file, other);
  }
  return run;
}

/** Keeps the processes of the run, in the order of their start: a leftover is ended before what it was started upon. */
export function recordProcesses(run: Run, pids: number[]): void {
  run.record.processes = pids.map(identify).filter((found) => found !== null);
  writePrivateJson(run.file, run.record);
}

/** Frees the folder, unless another run has claimed it since. */
export function releaseRun(run: Run): void {
  if (readRecord(run.file)?.run_id === run.record.run_id) rmSync(run.file, { force: true });
}

/** Ends what the named run left behind; does nothing when another run has claimed the folder since. */
export async function endLeftovers(dataDir: string, runId: string): Promise<void> {
  const file = join(dataDir, 'run.json');
  const record = readRecord(file);
  if (record?.run_id === runId) await endOneByOne(record.processes.toReversed());
}

function tryToCreate(run: Run): boolean {
  const draft = `${run.file}.${run.record.run_id}`;
  writePrivateJson(draft, run.record);
  try {
    // A link, unlike a rename, fails when the name exists: two runs cannot both win.
    linkSync(draft, run.file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

async function takeOver(file: string, other: RunRecord): Promise<void> {
  const alive = other.processes.filter(isAlive);
  if (alive.length > 0)
    say(`Ending what a killed run left behind: pid ${alive.map((p) => p.pid).join(', ')}.`);
  await endOneByOne(alive.toReversed());
  if (readRecord(file)?.run_id === other.run_id) rmSync(file, { force: true });
}

function readRecord(file: string): RunRecord | null {
  try {
    return runRecord.nullable().parse(readJson(file));
  } catch {
    throw new SetupError(
      `${file} cannot be read.`,
      `Make sure that nothing runs on this folder, then delete ${file}.`,
    );
  }
}

function identifyMyself(): ProcessIdentity {
  const me = identify(process.pid);
  if (me === null) throw new Error('This system shows no start time of a process.');
  return me;
}
