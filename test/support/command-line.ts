import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { bareEnv } from './bare-env.ts';
import { startApi, type TestApi, testEnv } from './harness.ts';

const execute = promisify(execFile);

export interface CommandLine {
  /** Runs the command line as a person would. */
  run: (...args: string[]) => Promise<{ stdout: string; stderr: string }>;
  /** The same with `--json`, and reads the one object. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  governor: (...args: string[]) => Promise<any>;
  /** Runs one that must fail, and resolves with how it did. */
  failure: (...args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
}

/** The `governor` command as a process of its own, with this environment. */
export function commandLine(env: Record<string, string>): CommandLine {
  const run = (...args: string[]) =>
    execute(process.execPath, ['scripts/governor.ts', ...args], { env: { ...bareEnv(), ...env } });
  const governor = async (...args: string[]) => {
    const { stdout } = await run('--json', ...args);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    return JSON.parse(stdout);
  };
  return {
    run,
    governor,
    failure: (...args) =>
      governor(...args).then(
        () => {
          throw new Error(`governor ${args.join(' ')} succeeded`);
        },
        (error) => {
          expect(error.code).toBe(1);
          return error;
        },
      ),
  };
}

/** An api, and the command line with its settings. */
export async function startApiWithCommandLine(): Promise<CommandLine & { api: TestApi }> {
  const api = await startApi();
  const { pathname } = new URL(api.ctx.config.mongodbUrl);
  return { api, ...commandLine(testEnv(pathname.slice(1))) };
}
