import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '../../../packages/stack/ports.ts';
import { until } from '../harness.ts';

/** One of our processes as a child: what a drill kills is what runs in production. */
export interface Child {
  url: string;
  process: ChildProcess;
  /** SIGKILL; resolves when it is gone. The rows of its transaction then stay locked for a while. */
  kill(): Promise<void>;
  /** SIGTERM, and SIGKILL after 10 s. */
  stop(): Promise<void>;
}

export async function startChild(
  entry: 'api/main.ts' | 'workers/main.ts',
  env: Record<string, string>,
): Promise<Child> {
  const port = await findFreePort();
  const portVariable = entry === 'api/main.ts' ? 'PORT' : 'WORKER_PORT';
  const child = spawn(process.execPath, [entry], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...env, [portVariable]: String(port) },
    stdio: ['ignore', process.env.TEST_LOG ? 'inherit' : 'ignore', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  try {
    await until(async () => hasEnded(child) || (await answers(`${url}/readyz`)), {
      what: `a ready ${entry}`,
    });
    if (hasEnded(child)) throw new Error(`${entry} ends at its start`);
  } catch (error) {
    await killChild(child);
    throw error;
  }
  return {
    url,
    process: child,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const insist = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(insist);
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Kills a process that may be gone already; resolves when it is. */
export async function killChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
