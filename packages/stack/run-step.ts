import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makePrivateFolder, NODE, ROOT } from './files.ts';
import { readLogEnd, withLog } from './logs.ts';
import { SetupError } from './setup-error.ts';
import { type Supervisor, watchStep } from './supervise.ts';

/** A script that runs once and ends. */
export type Step = {
  name: string;
  script: string;
  args?: string[];
  dataDir: string;
  env: Record<string, string>;
};

/**
 * Runs a script to its end and returns what it wrote to stdout. The supervisor knows it meanwhile, so that a killed run
 * does not leave it behind. Throws a SetupError with the end of its log.
 */
export async function runStep(supervisor: Supervisor, step: Step): Promise<string> {
  const { signal } = supervisor.stopping;
  const logFile = join(makePrivateFolder(step.dataDir, 'logs'), `${step.name}.log`);
  const child = withLog(logFile, (log) => {
    const options = { cwd: ROOT, env: step.env, signal } as const;
    return spawn(NODE, [step.script, ...(step.args ?? [])], { ...options, stdio: ['ignore', 'pipe', log] });
  });
  watchStep(supervisor, child);
  try {
    const output = child.stdout ? text(child.stdout) : '';
    const [code] = await once(child, 'exit');
    if (code === 0) return await output;
  } catch (error) {
    // Stopped from outside: it has been told, and must be gone before its stores go.
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    throw error;
  }
  throw new SetupError(`${step.script} failed:\n${readLogEnd(logFile)}`, `Its whole log is ${logFile}`);
}
