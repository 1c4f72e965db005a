import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describeFailure } from '../../../packages/governor/src/api/ask.ts';
import { print } from '../../../packages/governor/src/output/print.ts';
import { type Environment, environmentOf } from '../../../packages/stack/read-run.ts';
import { type Config, readConfig } from '../../../shared/platform/basics/config.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { createLog } from '../../../shared/platform/basics/log.ts';
import { type Context, openContext } from '../../../shared/platform/context/context.ts';
import { refuseUnprepared } from '../../../shared/platform/mongo/schema.ts';
import { waitUntilReady } from '../../../shared/platform/redis/connect.ts';
import { WINGS } from '../../../shared/tables/wings.ts';

/**
 * Runs one command with a context and prints what it returns: an object for `--json`, else lines for people. Null prints
 * nothing: the command has written by itself.
 */
export type Run = (work: (ctx: Context) => Promise<Record<string, unknown> | null>) => Promise<void>;

export function createRunner(program: Command, env: Environment): Run {
  return async (work) => {
    const { data, ...form } = program.opts<{ json?: boolean; wide?: boolean; data: string }>();
    const config = configOf(env, data);
    // The log goes to stderr: stdout is the answer and nothing else.
    const log = createLog({ level: config.logLevel, process: 'cli', destination: process.stderr });
    const ctx = await openContext(config, { process: 'cli', wings: WINGS, log });
    try {
      await refuseUnprepared(ctx.db);
      // A change wakes workers. Without Redis it is made all the same, and their sweeps find it.
      await waitUntilReady(ctx.redis.queues, 1_000).catch(() => undefined);
      const result = await work(ctx);
      if (result !== null) print(result, form);
    } finally {
      await ctx.close();
    }
  };
}

/** The settings of a command. Throws one Error that lists everything that is wrong. */
export function configOf(env: Environment, dataDir: string): Config {
  try {
    return readConfig(environmentOf(env, dataDir));
  } catch (error) {
    if (existsSync(join(dataDir, 'up.json'))) throw error;
    throw new Error(`scripts/up does not run on ${dataDir} (--data). ${describeFailure(error)}`);
  }
}

/** Says what is wrong, with its code at the end of the first line, and exits 1. */
export function fail(error: unknown): never {
  const message =
    error instanceof DomainError ? error.message.replace(/$/m, ` (${error.code})`) : describeFailure(error);
  console.error(`governor: ${message}`);
  process.exit(1);
}
