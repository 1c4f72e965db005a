import { makePrivateFolder } from '../packages/stack/files.ts';
import { dismissGuard, startGuard } from '../packages/stack/guard.ts';
import { describeError, say } from '../packages/stack/progress.ts';
import { claimRun, recordProcesses, releaseRun } from '../packages/stack/run-record.ts';
import { SetupError } from '../packages/stack/setup-error.ts';
import {
  createSupervisor,
  killAll,
  readAllPids,
  readPids,
  type Supervisor,
  stopAll,
} from '../packages/stack/supervise.ts';
import { formatBanner } from './start/banner.ts';
import { bringUp } from './start/bring-up.ts';
import { parseUpOptions, type UpOptions, USAGE } from './start/options.ts';
import { publishLine, type ReadyLine, showPids, withdrawLine } from './start/ready-line.ts';

// Whoever started us may stop listening; that is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const options = parseUpOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(USAGE);
  else await runUntilStopped(options);
} catch (error) {
  say(`\n${describeError(error)}`);
  if (error instanceof SetupError) say(error.remedy);
  else if (error instanceof Error) say(error.stack ?? '');
  process.exitCode = 1;
}

/** Resolves when a signal has asked for the end and everything that was started has ended. */
async function runUntilStopped(options: UpOptions): Promise<void> {
  const dataDir = makePrivateFolder(options.dataDir);
  const run = await claimRun(dataDir);
  const guard = startGuard(dataDir, run);
  let line: ReadyLine | null = null;
  const supervisor = createSupervisor((changed) => {
    recordProcesses(run, readAllPids(changed));
    if (line) publishLine(dataDir, Object.assign(line, { pids: showPids(readPids(changed)) }));
  });
  stopOnSignals(supervisor);
  const { signal } = supervisor.stopping;
  try {
    line = await bringUp(supervisor, dataDir, options);
    publishLine(dataDir, line);
    process.stdout.write(options.json ? `${JSON.stringify(line)}\n` : formatBanner(line, dataDir));
    await untilAborted(signal);
  } catch (error) {
    // A stop during the start makes what is half done fail; that is no fault to report.
    if (!signal.aborted) throw error;
  } finally {
    await stopAll(supervisor);
    withdrawLine(dataDir);
    await dismissGuard(guard);
    releaseRun(run);
  }
}

function stopOnSignals(supervisor: Supervisor): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (supervisor.stopping.signal.aborted) {
        killAll(supervisor);
        return;
      }
      say('\nStopping … (once more to kill)');
      supervisor.stopping.abort();
    });
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
