import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describeFailure } from '../../../packages/governor/src/api/ask.ts';
import { parseObject } from '../../../packages/governor/src/readers/history.ts';
import { type Config, readConfig } from '../../../shared/platform/basics/config.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { createLog } from '../../../shared/platform/basics/log.ts';
import { type Context, openContext } from '../../../shared/platform/context/context.ts';
import { refuseUnprepared } from '../../../shared/platform/mongo/schema.ts';
import { waitUntilReady } from '../../../shared/platform/redis/connect.ts';
import { WINGS } from '../../../shared/tables/wings.ts';
import { exportsFolder } from '../../stack/files.ts';
import { print } from './print.ts';

type Environment = Record<string, string | undefined>;

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

/** The environment, with the stores, secrets and settings of a running `scripts/up` where it does not name its own. */
export function environmentOf(env: Environment, dataDir: string): Environment {
  const up = readJson(join(dataDir, 'up.json'));
  const secrets = readJson(join(dataDir, 'secrets.json'));
  const stores = { MONGODB_URL: asText(up.mongo_url), REDIS_URL: asText(up.redis_url) };
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const own = { LOG_LEVEL: 'warn', NODE_ENV: 'development', EXPORT_FOLDER: exportsFolder(dataDir) };
  return {
    ...(existsSync(join(dataDir, 'up.json')) ? own : { LOG_LEVEL: 'warn' }),
    ...stores,
    ...secrets,
    ...readJson(join(dataDir, 'settings.json')),
    ...given,
  };
}

/** The record that a running scripts/up writes about itself. */
export function readUp(dataDir: string): { api?: string } {
  return readJson(join(dataDir, 'up.json'));
}

/** The API key of the first demo organization, if there is one. */
export function readDemo(dataDir: string): string | undefined {
  const { orgs } = readJson(join(dataDir, 'up.json')) as { orgs?: unknown };
  return Array.isArray(orgs) ? (orgs[0] as { api_key?: string }).api_key : undefined;
}

function readJson(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const content = parseObject(readFileSync(path, 'utf8'));
  if (!content) throw new Error(`${path} is damaged: scripts/up writes it anew.`);
  return content as Record<string, string>;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Says what is wrong in one line and exits 1. */
export function fail(error: unknown): never {
  const message = error instanceof DomainError ? `${error.message} (${error.code})` : describeFailure(error);
  console.error(`governor: ${message}`);
  process.exit(1);
}
