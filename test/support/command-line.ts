import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { startApi, type TestApi, testEnv } from './harness.ts';

const execute = promisify(execFile);

export interface CommandLine {
  /** Runs the command line as a person would, and reads its one JSON object. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  governor: (...args: string[]) => Promise<any>;
  /** Runs one that must fail, and resolves with how it did. */
  failure: (...args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
}

/** The `governor` command as a process of its own, with this environment. */
export function commandLine(env: Record<string, string>): CommandLine {
  const governor = async (...args: string[]) => {
    const { stdout } = await execute(process.execPath, ['scripts/governor.ts', '--json', ...args], {
      env: { PATH: process.env.PATH, ...env },
    });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    return JSON.parse(stdout);
  };
  return {
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
