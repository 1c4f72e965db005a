import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'undici';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { type Context, openContext } from '../../shared/platform/context/context.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { MIGRATIONS } from '../../shared/tables/migrations.ts';
import { release } from '../../shared/tables/release.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { makeSecrets, makeSigningKey } from '../stack/make-secrets.ts';
import { findFreePort } from '../stack/ports.ts';
import { mongoServerCommand, type RunningStore, startMongo, startRedis } from '../stack/stores.ts';
import { answersOk, waitUntil } from '../stack/wait.ts';
import { startCluster } from './redis-cluster.ts';

type Environment = Record<string, string>;

/** As `scripts/up` sets it: the code of a second start is compiled already, and malloc gives back what is free. */
export const AS_SCRIPTS_UP: Environment = {
  NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** A process of a stage. */
export interface Running {
  child: ChildProcess;
  pid: number;
  end: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Stores of its own, and processes, which end with it. */
export interface Stage {
  env: Environment;
  ctx: Context;
  /** For files. */
  folder: string;
  mongo: RunningStore;
  redis: RunningStore;
  /** The Redis, or all masters of the cluster. */
  masters: readonly RunningStore[];
  /** The Redis that holds the queues. */
  queues: RunningStore;
  /** An api, once it is ready. */
  startApi: () => Promise<Running & { url: string }>;
  /** A worker, once it serves. */
  startWorker: (env?: Environment) => Promise<Running & { url: string }>;
  /** Any program of this repository. */
  start: (args: readonly string[], env?: Environment, stdout?: 'ignore' | 'pipe') => Running;
  stop: () => Promise<void>;
}

/**
 * Stores with fsync as in production, an empty database, and nothing of another run. `queuesApart`: the queues in a Redis that
 * keeps nothing.
 */
export async function setStage(
  own: Environment = {},
  options: { mongoCacheGib?: number; masters?: number; queuesApart?: boolean } = {},
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-bench-'));
  const extraArgs = await cacheArgs(options.mongoCacheGib);
  const mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo'), extraArgs });
  const masters = await startRedises(folder, options.masters ?? 1);
  const [redis] = masters as [RunningStore];
  const queues = options.queuesApart ? await startQueueRedis(join(folder, 'queues')) : redis;
  const apart: Environment = queues === redis ? {} : { QUEUE_REDIS_URL: queues.url };
  const env = { ...settings(mongo, masters), ...apart, ...own };
  const ctx = await openContext(readConfig(env), { process: 'cli', wings: WINGS });
  await release(ctx.db, MIGRATIONS, ctx.clock.now());
  await Promise.all([waitUntilReady(ctx.redis.meter, 5_000), waitUntilReady(ctx.redis.producer, 5_000)]);
  const children: ChildProcess[] = [];
  const start: Stage['start'] = (args, more = {}, stdout = 'ignore') => {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env, ...more },
      stdio: ['ignore', stdout, 'inherit'],
    });
    children.push(child);
    return { child, pid: child.pid ?? 0, end: (signal) => endChild(child, signal) };
  };
  return {
    env,
    ctx,
    folder,
    mongo,
    redis,
    masters,
    queues,
    startApi: async () => {
      const port = await findFreePort();
      const api = start(['api/main.ts'], { PORT: String(port) });
      const url = `http://127.0.0.1:${port}`;
      await untilAnswered(`${url}/readyz`);
      return { ...api, url };
    },
    startWorker: async (more = {}) => {
      const port = await findFreePort();
      const worker = start(['workers/main.ts'], { ...more, WORKER_PORT: String(port) });
      const url = `http://127.0.0.1:${port}`;
      await untilAnswered(`${url}/healthz`);
      return { ...worker, url };
    },
    start,
    stop: async () => {
      for (const child of children) child.kill('SIGKILL');
      await ctx.close().catch(() => undefined);
      await Promise.all([mongo, ...masters, queues].map((store) => store.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function cacheArgs(gib: number | undefined): Promise<string[]> {
  if (gib === undefined) return [];
  const { kind } = await mongoServerCommand();
  return kind === 'mongod' ? ['--wiredTigerCacheSizeGB', String(gib)] : ['--cache-size', `${gib}G`];
}

async function startRedises(folder: string, masters: number): Promise<RunningStore[]> {
  if (masters > 1) return startCluster(folder, masters);
  return [await startRedis({ port: await findFreePort(), dir: join(folder, 'redis') })];
}

async function startQueueRedis(dir: string): Promise<RunningStore> {
  return startRedis({ port: await findFreePort(), dir, extraArgs: ['--appendonly', 'no'] });
}

function settings(mongo: RunningStore, redis: readonly RunningStore[]): Environment {
  const nodes = redis.map(({ url }) => new URL(url).host).join(',');
  return {
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    MONGODB_URL: mongo.url,
    REDIS_URL: redis[0]?.url ?? '',
    ...(redis.length > 1 ? { REDIS_CLUSTER_NODES: nodes } : {}),
    ...makeSecrets(),
    SIGNING_KEY: JSON.stringify(makeSigningKey()),
  };
}

/** Waits until an address answers 2xx. */
export async function untilAnswered(url: string): Promise<void> {
  if (!(await waitUntil(() => answersOk(url), { timeoutMs: 60_000 })))
    throw new Error(`${url} does not answer`);
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** An organization of its own, and a key that may do everything. */
export async function makeKey(
  { ctx }: Pick<Stage, 'ctx'>,
  settings: { session_timeout?: number } = {},
): Promise<{ orgId: string; key: string }> {
  const { _id: orgId } = await createOrganization(ctx, { name: 'Bench', plan: 'enterprise', ...settings });
  return { orgId, key: (await createApiKey(ctx, { org_id: orgId, scopes: [...SCOPES] })).key };
}

/** A signal of a call, as of now. */
export function callOf(id: string, user_id: string) {
  const ts = new Date().toISOString();
  return { id, ts, adapter: 'bench', user_id, model: 'gpt-4o-mini', tokens_in: 100, tokens_out: 10 };
}

/** Posts signals, and returns what became of each. Throws for any other answer than 200. */
export async function postSignals(
  pool: Pool,
  key: string,
  signals: readonly object[],
): Promise<{ status: string; session_id: string }[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ signals });
  const answer = await pool.request({ path: '/api/v1/signals', method: 'POST', headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`Signals were answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text).results;
}

/** Reads an api's metrics: the value of each by its name. */
export async function readMetrics({ env }: Stage, url: string): Promise<(name: string) => number> {
  const headers = { Authorization: `Bearer ${env.OPERATOR_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return (name) => {
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`The metrics have no ${name}`);
    return Number(value);
  };
}

/** Throws unless every accepted signal is in the rollups. */
export async function expectAll({ ctx }: Stage, orgId: string, count: number): Promise<void> {
  const rollups = await rollupRows(ctx).find({ org_id: orgId, period: 'day' }).toArray();
  const kept = rollups.reduce((sum, row) => sum + row.signals, 0);
  if (kept !== count) throw new Error(`${count} were accepted, ${kept} were kept`);
}
