import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readLogEnd, withLog } from './logs.ts';
import { sendSignal } from './processes.ts';
import { say } from './progress.ts';
import { SetupError } from './setup-error.ts';
import { waitUntil } from './wait.ts';

export type ProcessName = 'api' | 'worker' | 'idp' | 'redis' | 'mongo' | 'mongod-face';

/** One process that has to run: how to start it (each time alike: same port, same data) and how to tell that it serves. */
export type ProcessPlan = {
  name: ProcessName;
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  logFile: string;
  isReady: () => Promise<boolean>;
};

type Watched = {
  plan: ProcessPlan;
  child: ChildProcess;
  startedMs: number;
  quickDeaths: number;
  served: boolean;
};

/** The processes of one run. `onChange` is called whenever one is new. */
export type Supervisor = {
  watched: Map<ProcessName, Watched>;
  /** Programs that run once and end by themselves: see `runStep`. */
  steps: Set<ChildProcess>;
  stopping: AbortController;
  onChange: (supervisor: Supervisor) => void;
};

const READY_TIMEOUT_MS = 60_000;
/** A process that dies is back within 2 s, also one that dies again and again. */
const LONGEST_PAUSE_MS = 1_500;
const QUICK_DEATH_MS = 5_000;
/** The api and the worker promise to end within 25 s of a SIGTERM. */
const PATIENCE_MS = 25_000;

/** A supervisor of nothing yet. */
export function createSupervisor(onChange: Supervisor['onChange']): Supervisor {
  return { watched: new Map(), steps: new Set(), stopping: new AbortController(), onChange };
}

/**
 * Starts the process, and from its first readiness on starts it again whenever it ends. Resolves when it serves.
 * Throws a SetupError with the end of its log when it ends before that.
 */
export async function startProcess(supervisor: Supervisor, plan: ProcessPlan): Promise<void> {
  const { signal } = supervisor.stopping;
  signal.throwIfAborted();
  const watched = launch(supervisor, plan, 0);
  const check = async () => hasEnded(watched.child) || (await plan.isReady());
  const answered = await waitUntil(check, { timeoutMs: READY_TIMEOUT_MS, signal });
  if (hasEnded(watched.child))
    throw new SetupError(
      `${plan.name} ended before it served:\n${readLogEnd(plan.logFile)}`,
      readWhole(plan),
    );
  if (!answered)
    throw new SetupError(`${plan.name} did not serve within ${READY_TIMEOUT_MS / 1000} s.`, readWhole(plan));
  watched.served = true;
}

/** Ends everything: first the processes that use the stores, then the stores. */
export async function stopAll(supervisor: Supervisor): Promise<void> {
  supervisor.stopping.abort();
  await Promise.all([
    endWatched(supervisor, 'api'),
    endWatched(supervisor, 'worker'),
    endWatched(supervisor, 'idp'),
  ]);
  const stores = ['redis', 'mongo', 'mongod-face'] as const;
  await Promise.all(stores.map((store) => endWatched(supervisor, store)));
}

/** Kills everything at once; no process gets to finish anything. */
export function killAll(supervisor: Supervisor): void {
  supervisor.stopping.abort();
  for (const { child } of supervisor.watched.values()) {
    if (!hasEnded(child)) killGroup(child);
  }
}

function launch(supervisor: Supervisor, plan: ProcessPlan, quickDeaths: number): Watched {
  // A store whose folder was deleted begins anew with an empty one.
  mkdirSync(plan.cwd, { recursive: true, mode: 0o700 });
  // A group of its own: Ctrl-C reaches scripts/up alone, which ends the others in their order.
  const options = { cwd: plan.cwd, env: plan.env, detached: true } as const;
  const child = withLog(plan.logFile, (log) => {
    return spawn(plan.file, plan.args, { ...options, stdio: ['ignore', log, log] });
  });
  const watched = { plan, child, startedMs: performance.now(), quickDeaths, served: quickDeaths > 0 };
  supervisor.watched.set(plan.name, watched);
  child.once('error', (error) => {
    say(`${plan.name} cannot be started: ${error.message}`);
    if (child.pid === undefined) startAgain(supervisor, watched);
  });
  child.once('exit', (code, signal) => {
    if (supervisor.stopping.signal.aborted || !watched.served) return;
    say(`${plan.name} (pid ${child.pid}) ended (${signal ?? `exit code ${code}`}); starting it again.`);
    startAgain(supervisor, watched);
  });
  supervisor.onChange(supervisor);
  return watched;
}

/** Counts a process among those of the run until it ends. */
export function watchStep(supervisor: Supervisor, child: ChildProcess): void {
  supervisor.steps.add(child);
  child.once('exit', () => supervisor.steps.delete(child));
  supervisor.onChange(supervisor);
}

function startAgain(supervisor: Supervisor, dead: Watched): void {
  const livedMs = performance.now() - dead.startedMs;
  const quickDeaths = livedMs < QUICK_DEATH_MS ? dead.quickDeaths + 1 : 1;
  const pauseMs = quickDeaths === 1 ? 0 : Math.min(100 * 2 ** quickDeaths, LONGEST_PAUSE_MS);
  setTimeout(() => {
    if (supervisor.stopping.signal.aborted) return;
    const watched = launch(supervisor, dead.plan, quickDeaths);
    void announceReturn(supervisor, watched);
  }, pauseMs);
}

async function announceReturn(supervisor: Supervisor, watched: Watched): Promise<void> {
  const { plan, child, startedMs } = watched;
  const isCurrent = () =>
    supervisor.watched.get(plan.name) === watched && !supervisor.stopping.signal.aborted;
  const check = async () => !isCurrent() || (await plan.isReady());
  const serves = await waitUntil(check, { timeoutMs: READY_TIMEOUT_MS });
  if (!isCurrent()) return;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  say(
    serves
      ? `${plan.name} serves again (pid ${child.pid}, ${seconds} s).`
      : `${plan.name} runs, but does not serve: ${readWhole(plan)}`,
  );
}

async function endWatched(supervisor: Supervisor, name: ProcessName): Promise<void> {
  const child = supervisor.watched.get(name)?.child;
  if (child?.pid === undefined || hasEnded(child)) return;
  child.kill('SIGTERM');
  if (!(await waitUntil(async () => hasEnded(child), { timeoutMs: PATIENCE_MS, pauseMs: 20 }))) {
    say(`${name} (pid ${child.pid}) does not end by itself and is killed.`);
  }
  killGroup(child);
  await waitUntil(async () => hasEnded(child), { timeoutMs: 5_000, pauseMs: 20 });
}

/** True also of a process that could not be started. */
function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** The child leads its group, so this also ends what it may have started itself. */
function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
}

/** The pids of everything that runs, steps included, in the order of their start. */
export function readAllPids(supervisor: Supervisor): number[] {
  const steps = [...supervisor.steps].flatMap(({ pid }) => pid ?? []);
  return [...readPids(supervisor).values(), ...steps];
}

/** The pid of each supervised process that runs. */
export function readPids(supervisor: Supervisor): Map<ProcessName, number> {
  const pids = [...supervisor.watched].flatMap(([name, { child }]) =>
    child.pid ? [[name, child.pid] as const] : [],
  );
  return new Map(pids);
}

function readWhole(plan: ProcessPlan): string {
  return `Its whole log is ${plan.logFile}`;
}
