import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { type Context, openContext } from '../../shared/platform/context/context.ts';
import { createIndexes } from '../../shared/tables/collections.ts';
import { findFreePort } from '../stack/ports.ts';
import { mongoServerCommand, startMongo, startRedis } from '../stack/stores.ts';
import { answersOk, waitUntil } from '../stack/wait.ts';

export interface Stage {
  env: Record<string, string>;
  ctx: Context;
  /** An api as its own process; ended with the stage. */
  startApi(): Promise<string>;
  /** A worker as its own process; ended with the stage. */
  startWorker(): void;
  /** Ends the api that was started last with SIGTERM. Returns how long that took (ms). */
  endApi(): Promise<number>;
  /** Of each kind of process the one that was started last. */
  pids(): Record<string, number>;
  stop(): Promise<void>;
}

/** Stores with fsync as in production, an empty database, and nothing of another run. */
export async function setStage(
  env: Record<string, string> = {},
  options: { mongoCacheGib?: number } = {},
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-bench-'));
  const extraArgs = await cacheArgs(options.mongoCacheGib);
  const mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo'), extraArgs });
  const redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis') });
  const all = { ...settings(mongo.url, redis.url), ...env };
  const ctx = await openContext(readConfig(all), { process: 'cli' });
  await createIndexes(ctx.db);
  const children: ReturnType<typeof spawn>[] = [];
  const pids: Record<string, number> = { mongo: mongo.pid, redis: redis.pid };
  const start = (name: 'api' | 'worker', env: Record<string, string> = {}): void => {
    const child = spawn(process.execPath, [name === 'api' ? 'api/main.ts' : 'workers/main.ts'], {
      env: { PATH: process.env.PATH, ...all, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.push(child);
    pids[name] = child.pid ?? 0;
  };
  return {
    env: all,
    ctx,
    startApi: async () => {
      const port = await findFreePort();
      start('api', { PORT: String(port) });
      const url = `http://127.0.0.1:${port}`;
      if (!(await waitUntil(() => answersOk(`${url}/readyz`), { timeoutMs: 20_000 })))
        throw new Error(`${url} does not answer`);
      return url;
    },
    startWorker: () => start('worker'),
    endApi: async () => {
      const api = children.find(({ pid }) => pid === pids.api);
      const began = performance.now();
      const ended = once(api ?? process, 'exit');
      api?.kill('SIGTERM');
      await ended;
      return performance.now() - began;
    },
    pids: () => pids,
    stop: async () => {
      for (const child of children) child.kill('SIGKILL');
      await ctx.close().catch(() => undefined);
      await Promise.all([mongo.stop(), redis.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function cacheArgs(gib: number | undefined): Promise<string[]> {
  if (gib === undefined) return [];
  const { kind } = await mongoServerCommand();
  return kind === 'mongod' ? ['--wiredTigerCacheSizeGB', String(gib)] : ['--cache-size', `${gib}G`];
}

function settings(mongoUrl: string, redisUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    WORKER_PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    OPERATOR_TOKEN: 'operator-token-of-a-bench',
    API_KEY_PEPPER: 'pepper-of-a-bench-0123456789abcdefgh',
    CURSOR_SECRET: 'cursor-secret-of-a-bench-0123456789ab',
    SESSION_SECRET: 'session-secret-of-a-bench-0123456789ab',
    WEBHOOK_SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  };
}

/** `clients` that each do one thing after the other for `seconds`. Milliseconds of each, sorted. */
export async function runClients(
  clients: number,
  seconds: number,
  work: (client: number) => Promise<unknown>,
): Promise<{ times: number[]; seconds: number }> {
  const times: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  const client = async (index: number): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now();
      await work(index);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  times.sort((a, b) => a - b);
  return { times, seconds: (performance.now() - startedAt) / 1_000 };
}

/** User and system time that processes have used, on Linux (a tick is 10 ms); elsewhere 0. */
export function cpuSeconds(pids: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / 100;
}

/** Memory of a process that is in RAM, in MB of 10⁶ bytes, on Linux. */
export function residentMb(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round((Number(kib) * 1024) / 1e6);
}

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function round(value: number, digits = 2): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** A table for people, then one line of JSON for machines. */
export function report(name: string, rows: readonly Record<string, unknown>[]): void {
  console.table(rows);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  console.log(JSON.stringify({ bench: name, machine, node: process.version, rows }));
}

/** `--name value` or the fallback. */
export function numberOption(args: readonly string[], name: string, fallback: number): number {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(args[at + 1]);
}
