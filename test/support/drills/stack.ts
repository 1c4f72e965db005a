import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../packages/stack/ports.ts';
import { startRedis } from '../../../packages/stack/stores.ts';
import { readConfig } from '../../../shared/platform/basics/config.ts';
import { createLog } from '../../../shared/platform/basics/log.ts';
import { openContext } from '../../../shared/platform/context/context.ts';
import { createIndexes } from '../../../shared/tables/collections.ts';
import { WINGS } from '../../../shared/tables/wings.ts';
import { untilOpen } from '../credits.ts';
import { type TestContext, testEnv, until } from '../harness.ts';
import { hasEnded, killChild } from './child.ts';
import { startOwnMongo } from './own-mongo.ts';

const PARTS = ['redis', 'mongo', 'api', 'worker'] as const;
export type Part = (typeof PARTS)[number];

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
  /** Has every part run, whatever a test that failed has left: before each test, also before its second attempt. */
  mend(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the stores, an api and a worker, and waits until credits can be spent. Ends what it has started when it fails. */
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
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-drill-'));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const name = `d${randomBytes(6).toString('hex')}`;
  const [apiPort, workerPort, redisPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const { fast = false } = options;
  const running = new Map<Part, ChildProcess>();

  async function startOwnRedis(): Promise<string> {
    const { child, url } = await startRedis({ port: redisPort, dir: join(folder, 'redis'), fast });
    running.set('redis', child);
    return url;
  }

  async function kill(part: Part): Promise<void> {
    const child = running.get(part);
    if (child) await killChild(child);
  }

  started.defer(() => kill('redis'));
  const redisUrl = await startOwnRedis();
  const mongo = await startOwnMongo({ fast });
  started.defer(() => mongo.stop());
  running.set('mongo', mongo.child());
  const env = testEnv(name, {
    mongoUrl: mongo.url,
    redisUrl: (await options.redisUrl?.(redisUrl)) ?? redisUrl,
    env: { PORT: String(apiPort), WORKER_PORT: String(workerPort), LOG_LEVEL: 'warn', ...options.env },
  });
  const config = readConfig({ ...env, REDIS_URL: redisUrl });
  const log = createLog({ level: 'silent', process: 'test' });
  const opened = await openContext(config, { process: 'test', wings: WINGS, log });
  const ctx: TestContext = { ...opened, queuePrefix: '' };
  started.defer(() => ctx.close().catch(() => undefined));
  await createIndexes(ctx.db);
  await options.prepare?.(ctx);

  async function start(part: Part): Promise<void> {
    if (part === 'redis') {
      await startOwnRedis();
      return;
    }
    if (part === 'mongo') {
      await mongo.restart();
      running.set('mongo', mongo.child());
      return;
    }
    const output = openSync(join(folder, `${part}.log`), 'a');
    const script = part === 'api' ? 'api/main.ts' : 'workers/main.ts';
    const child = spawn(process.execPath, [script], {
      env: { ...env, PATH: process.env.PATH ?? '' },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    running.set(part, child);
  }

  const url = `http://127.0.0.1:${apiPort}`;
  const isReady = async (part?: Part) => {
    try {
      return (await fetch(`${part === 'worker' ? `http://127.0.0.1:${workerPort}` : url}/readyz`)).ok;
    } catch {
      return false;
    }
  };

  async function mend(): Promise<void> {
    for (const part of PARTS) {
      const child = running.get(part);
      child?.kill('SIGCONT');
      if (!child || hasEnded(child)) await start(part);
    }
    await until(async () => (await isReady()) && (await isReady('worker')), { what: 'every part' });
    await untilOpen(ctx);
  }

  started.defer(async () => void (await Promise.all([kill('api'), kill('worker')])));
  await mend();
  const ended = started.move();
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
    mend,
    stop: () => ended.disposeAsync(),
  };
}
