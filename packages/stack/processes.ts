import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait.ts';

/** A pid is used again one day; together with the start time it names one process for ever. */
export type ProcessIdentity = { pid: number; started: string };

/** The process that has this pid now; null when there is none. */
export function identify(pid: number): ProcessIdentity | null {
  const started = existsSync('/proc/self/stat') ? readLinuxStart(pid) : readStartFromPs(pid);
  return started === null ? null : { pid, started };
}

/** True while that very process runs. */
export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.started === process.started;
}

/** False when the process is gone already. A negative pid names a process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Asks each process to end, so that a store closes its files, then kills it. Touches only the very processes named. */
export async function endOneByOne(processes: ProcessIdentity[]): Promise<void> {
  for (const one of processes) {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (isAlive(one)) sendSignal(one.pid, signal);
      await waitUntil(async () => !isAlive(one), { timeoutMs: 5_000, pauseMs: 20 });
    }
  }
}

function readLinuxStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may hold anything; the fields count from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTicks}`;
  } catch {
    return null;
  }
}

function readStartFromPs(pid: number): string | null {
  const answer = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : null;
}
