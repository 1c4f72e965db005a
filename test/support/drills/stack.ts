import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../scripts/stack/ports.ts';
import { type RunningStore, startMongo, startRedis } from '../../../scripts/stack/stores.ts';
import { readConfig } from '../../../shared/platform/basics/config.ts';
import { createLog } from '../../../shared/platform/basics/log.ts';
import { openContext } from '../../../shared/platform/context/context.ts';
import { createIndexes } from '../../../shared/tables/collections.ts';
import { untilOpen } from '../credits.ts';
import { type TestContext, testEnv, until } from '../harness.ts';

export type Part = 'api' | 'worker' | 'redis' | 'mongo';

/** A whole stack of real processes on ports of its own. */
export interface Stack {
  url: string;
  ctx: TestContext;
  /** The environment of its processes, for one more of them. */
  env: Record<string, string>;
  pid(part: Part): number;
  process(part: Part): ChildProcess;
  kill(part: Part): Promise<void>;
  start(part: Part): Promise<void>;
  signal(part: Part, signal: NodeJS.Signals): void;
  /** Asks the process itself: the worker unless the api is named. */
  isReady(part?: Part): Promise<boolean>;
  stop(): Promise<void>;
}

/** Starts the stores, an api and a worker, and waits until credits can be spent. */
export async function startStack(
  options: {
    env?: Record<string, string>;
    /** Stores that a power cut may harm: where none of them is killed. */
    fast?: boolean;
    redisUrl?: (url: string) => Promise<string>;
    /** Prepares the released, empty database before any process starts. */
    prepare?: (ctx: TestContext) => Promise<void>;
  } = {},
): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-drill-'));
  const name = `d${randomBytes(6).toString('hex')}`;
  const [apiPort, workerPort, redisPort, mongoPort] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  const { fast = false } = options;
  const stores: Record<'redis' | 'mongo', () => Promise<RunningStore>> = {
    redis: () => startRedis({ port: redisPort, dir: join(folder, 'redis'), fast }),
    mongo: () => startMongo({ port: mongoPort, dir: join(folder, 'mongo'), fast }),
  };
  const [redis, mongo] = await Promise.all([stores.redis(), stores.mongo()]);
  const running = new Map<Part, ChildProcess>([
    ['redis', redis.child],
    ['mongo', mongo.child],
  ]);
  const env = testEnv(name, {
    mongoUrl: mongo.url,
    redisUrl: (await options.redisUrl?.(redis.url)) ?? redis.url,
    env: { PORT: String(apiPort), WORKER_PORT: String(workerPort), LOG_LEVEL: 'warn', ...options.env },
  });
  const config = readConfig({ ...env, REDIS_URL: redis.url });
  const log = createLog({ level: 'silent', process: 'test' });
  const opened = await openContext(config, { process: 'test', log });
  const ctx: TestContext = { ...opened, queuePrefix: '' };
  await createIndexes(ctx.db);
  await options.prepare?.(ctx);

  async function start(part: Part): Promise<void> {
    if (part === 'redis' || part === 'mongo') {
      running.set(part, (await stores[part]()).child);
      return;
    }
    const output = openSync(join(folder, `${part}.log`), 'a');
    const script = part === 'api' ? 'api/main.ts' : 'workers/main.ts';
    const child = spawn(process.execPath, [script], {
      env: { ...env, PATH: process.env.PATH ?? '' },
      stdio: ['ignore', output, output],
    });
    running.set(part, child);
  }

  async function kill(part: Part): Promise<void> {
    const child = running.get(part);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  const url = `http://127.0.0.1:${apiPort}`;
  const isReady = async (part?: Part) => {
    try {
      return (await fetch(`${part === 'worker' ? `http://127.0.0.1:${workerPort}` : url}/readyz`)).ok;
    } catch {
      return false;
    }
  };
  await Promise.all([start('api'), start('worker')]);
  await until(() => isReady(), { timeoutMs: 30_000, what: 'the api' });
  await untilOpen(ctx);
  return {
    url,
    ctx,
    env,
    pid: (part) => running.get(part)?.pid ?? 0,
    process: (part) => {
      const child = running.get(part);
      if (!child) throw new Error(`${part} was never started`);
      return child;
    },
    kill,
    start,
    signal: (part, signal) => running.get(part)?.kill(signal),
    isReady,
    stop: async () => {
      await Promise.all([kill('api'), kill('worker')]);
      await ctx.close().catch(() => undefined);
      await Promise.all([kill('redis'), kill('mongo')]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
