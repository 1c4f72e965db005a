import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { format, promisify } from 'node:util';
import { expect } from 'vitest';
import { bareEnv } from './bare-env.ts';

const execute = promisify(execFile);

/** All that a command has written. */
interface Written {
  stdout: string;
  stderr: string;
}

/** How a command ended that failed. */
export type Failed = Written & { code: number };

export interface CommandLine {
  /** Runs the command line as a person would. */
  run: (...args: string[]) => Promise<Written>;
  /** The same with `--json`, and reads the one object. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  governor: (...args: string[]) => Promise<any>;
  /** Runs one that must fail, and resolves with how it did. */
  failure: (...args: string[]) => Promise<Failed>;
}

/** The two programs called `governor`: that of operators, and that of people beside their agents. */
const PROGRAMS = {
  operators: async () => ({
    ...(await import('../../scripts/governor/program.ts')),
    ...(await import('../../scripts/governor/basics/run.ts')),
  }),
  people: () => import('../../packages/governor/src/program.ts'),
};
type Who = keyof typeof PROGRAMS;

/** The `governor` command with this environment, in this process: it takes half a second of a core to load, and is loaded once. */
export function commandLine(env: Record<string, string>, who: Who = 'operators'): CommandLine {
  return asCommandLine((args) => runHere(who, { ...bareEnv(), ...env }, args));
}

/** The `governor` command as a process of its own, with this environment. */
export function commandProcess(env: Record<string, string>): CommandLine {
  return asCommandLine((args) =>
    execute(process.execPath, ['scripts/governor.ts', ...args], { env: { ...bareEnv(), ...env } }),
  );
}

function asCommandLine(execute: (args: string[]) => Promise<Written>): CommandLine {
  const governor = async (...args: string[]) => {
    const { stdout } = await execute(['--json', ...args]);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    return JSON.parse(stdout);
  };
  return {
    run: (...args) => execute(args),
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

/** Ends a command that runs in this process, where it would end its own. */
class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

/** The command that is running, by what it has called: several may run side by side. */
const running = new AsyncLocalStorage<Written>();

async function runHere(who: Who, env: Record<string, string>, args: readonly string[]): Promise<Written> {
  const { createProgram, fail } = await PROGRAMS[who]();
  divert();
  const written = { stdout: '', stderr: '' };
  const code = await running.run(written, async () => {
    try {
      await createProgram(env).parseAsync(args, { from: 'user' });
      return Number(process.exitCode ?? 0);
    } catch (error) {
      return error instanceof Exit ? error.code : exitCodeOf(() => fail(error));
    } finally {
      process.exitCode = undefined;
    }
  });
  if (code === 0) return written;
  throw Object.assign(new Error(`governor ${args.join(' ')} failed: ${written.stderr}`), {
    code,
    ...written,
  });
}

function exitCodeOf(end: () => never): number {
  try {
    return end();
  } catch (error) {
    if (error instanceof Exit) return error.code;
    throw error;
  }
}

/** Marks what `divert` has put in place, which vitest may have replaced for another file. */
const DIVERTED = Symbol('diverted');

/** Everything that a running command writes is its own, and it ends itself alone. */
function divert(): void {
  const put = <T extends object, K extends keyof T>(target: T, name: K, make: (before: T[K]) => T[K]) => {
    const before = target[name];
    if (!Object.hasOwn(before as object, DIVERTED))
      target[name] = Object.assign(make(before) as object, { [DIVERTED]: true }) as T[K];
  };
  for (const stream of ['stdout', 'stderr'] as const)
    put(process[stream], 'write', (write) => (chunk: string | Uint8Array, ...rest: never[]) => {
      const own = running.getStore();
      if (!own) return write.call(process[stream], chunk, ...rest);
      own[stream] += String(chunk);
      const done = rest.at(-1) as unknown;
      if (typeof done === 'function') done();
      return true;
    });
  const logTo =
    (stream: keyof Written) =>
    (log: typeof console.log) =>
    (...args: unknown[]) => {
      const own = running.getStore();
      if (own) own[stream] += `${format(...args)}\n`;
      else log(...args);
    };
  put(console, 'log', logTo('stdout'));
  put(console, 'error', logTo('stderr'));
  put(process, 'exit', (exit) => (code) => {
    if (running.getStore()) throw new Exit(Number(code ?? process.exitCode ?? 0));
    return exit(code);
  });
}
