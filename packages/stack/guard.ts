import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NODE, ROOT } from './files.ts';
import { sendSignal } from './processes.ts';
import type { Run } from './run-record.ts';

/**
 * A process that ends what this run has started when this process is killed and cannot do it itself. It reads a pipe
 * that only we hold open: however we end, the pipe closes. Until then it is a shell that waits in `read`.
 */
export function startGuard(dataDir: string, run: Run): ChildProcess {
  const script = join(ROOT, 'packages/stack/end-leftovers.ts');
  const wait = [
    '-c',
    'read -r never_comes; exec "$@"',
    'usage-governor-guard',
    NODE,
    script,
    dataDir,
    run.record.run_id,
  ];
  return spawn('/bin/sh', wait, { detached: true, cwd: ROOT, stdio: ['pipe', 'ignore', 'ignore'] });
}

/** Nothing is left to guard: the guard goes first, so that nothing outlives this process. */
export async function dismissGuard(guard: ChildProcess): Promise<void> {
  if (guard.pid === undefined || guard.exitCode !== null || guard.signalCode !== null) return;
  const ended = once(guard, 'exit');
  sendSignal(guard.pid, 'SIGKILL');
  await ended;
}
