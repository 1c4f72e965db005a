import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { recoverCredits } from '../../shared/credits/ledger/open-shards.ts';
import { createApiKey } from '../../shared/keys/api-keys.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { type Context, openContext } from '../../shared/platform/context/context.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { createIndexes } from '../../shared/tables/collections.ts';
import { findFreePort } from '../stack/ports.ts';
import { type RunningStore, startMongo, startRedis } from '../stack/stores.ts';
import { answersOk, waitUntil } from '../stack/wait.ts';
import { cpuSeconds, numberOption, report, round, runClients } from './bench.ts';
import { drive, environment, hasCaughtUp, makeTokens } from './consume.ts';
import { startCluster } from './redis-cluster.ts';

const APIS = [1, 2, 4];
const WORKERS = [1, 2];
const CLIENTS = 16;
const ACCOUNTS = 200;
/** Each has a batch of its own under way, in each process. */
const ORGANIZATIONS = 8;
const PER_REQUEST = 10;
const ROUNDS = 2;

interface Stage {
  ctx: Context;
  masters: RunningStore[];
  apis: string[];
  /** Of everything that serves: not of the client. */
  pids: number[];
  tokens: string[];
  keys: string[];
}

/** What was done within a slice of a run. */
interface Slice {
  done: number;
  seconds: number;
  cpuS: number;
  commands: number[];
}

/**
 * `scale-out [--seconds 3]`: spends, and signals, per CPU second of all processes of the service, with 1, 2 and 4 apis and 1
 * and 2 workers, over one Redis and over a cluster of three masters; and how many commands each master got.
 */
export async function runScaleOutBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 3);
  const rows: Record<string, unknown>[] = [];
  for (const masters of [1, 3]) rows.push(...(await measureOn(masters, seconds)));
  report('scale-out', rows);
}

async function measureOn(masters: number, seconds: number): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-bench-'));
  const mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo') });
  const redis =
    masters === 1
      ? [await startRedis({ port: await findFreePort(), dir: join(folder, 'redis') })]
      : await startCluster(folder, masters);
  const nodes = redis.map(({ url }) => new URL(url).host).join(',');
  const env = {
    ...environment(redis[0]?.url ?? '', mongo.url),
    ...(masters === 1 ? {} : { REDIS_CLUSTER_NODES: nodes }),
  };
  const ctx = await openContext(readConfig(env), { process: 'cli' });
  const children: ChildProcess[] = [];
  try {
    const stage = await prepare(ctx, redis);
    const start = (script: string, more: Record<string, string>): void => {
      const child = spawn(process.execPath, [script], {
        env: { ...env, ...more },
        stdio: ['ignore', process.stderr.fd, 'inherit'],
      });
      children.push(child);
      stage.pids.push(child.pid ?? 0);
    };
    stage.pids.push(mongo.pid, ...redis.map(({ pid }) => pid));
    for (let index = 0; index < Math.max(...APIS); index += 1) {
      const port = await findFreePort();
      start('api/main.ts', { PORT: String(port) });
      stage.apis.push(`http://127.0.0.1:${port}`);
    }
    const areUp = async () =>
      (await Promise.all(stage.apis.map((url) => answersOk(`${url}/readyz`)))).every(Boolean);
    await waitUntil(areUp, { timeoutMs: 30_000 });
    const rows: Record<string, unknown>[] = [];
    for (const workers of WORKERS) {
      start('workers/main.ts', { WORKER_PORT: String(await findFreePort()) });
      rows.push(...(await measureWith(stage, workers, seconds)));
    }
    return rows;
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await ctx.close();
    await Promise.all([mongo.stop(), ...redis.map((node) => node.stop())]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare(ctx: Context, masters: RunningStore[]): Promise<Stage> {
  await createIndexes(ctx.db);
  await Promise.all([waitUntilReady(ctx.redis.meter, 5_000), waitUntilReady(ctx.redis.producer, 5_000)]);
  await recoverCredits(ctx);
  const keys: string[] = [];
  for (let index = 0; index < ORGANIZATIONS; index += 1) {
    const { _id } = await createOrganization(ctx, { name: 'bench', plan: 'team' });
    keys.push((await createApiKey(ctx, { org_id: _id, scopes: ['signals:write'] })).key);
  }
  return { ctx, masters, apis: [], pids: [], tokens: await makeTokens(ctx, ACCOUNTS), keys };
}

/** The numbers of apis take turns, so that what else the machine does meets each of them. */
async function measureWith(
  stage: Stage,
  workers: number,
  seconds: number,
): Promise<Record<string, unknown>[]> {
  const works = { spends: spend, signals: record };
  const cells = APIS.flatMap((apis) =>
    (['spends', 'signals'] as const).map((what) => ({ apis, what, slices: [] as Slice[] })),
  );
  for (const { apis, what } of cells) await works[what](stage, stage.apis.slice(0, apis), seconds / 2);
  for (let turn = 0; turn < ROUNDS; turn += 1)
    for (const { apis, what, slices } of cells) {
      const urls = stage.apis.slice(0, apis);
      slices.push(await measure(stage, () => works[what](stage, urls, seconds)));
    }
  return cells.map(({ apis, what, slices }) => {
    const sum = (of: (slice: Slice) => number) => slices.reduce((total, slice) => total + of(slice), 0);
    const perCpuSecond = (own: readonly Slice[]) =>
      own.reduce((total, { done }) => total + done, 0) / own.reduce((total, { cpuS }) => total + cpuS, 0);
    const one = cells.find((cell) => cell.apis === 1 && cell.what === what)?.slices ?? slices;
    return {
      masters: stage.masters.length,
      workers,
      apis,
      what,
      per_s: round(sum(({ done }) => done) / sum((slice) => slice.seconds), 0),
      per_cpu_s: round(perCpuSecond(slices), 0),
      of_one_api: round(perCpuSecond(slices) / perCpuSecond(one)),
      commands_per_master: stage.masters
        .map((_, index) => sum(({ commands }) => commands[index] ?? 0))
        .join(' '),
    };
  });
}

/** With what it leaves to the workers: the ledger's rows and the jobs. */
async function measure(stage: Stage, work: () => Promise<{ done: number; seconds: number }>): Promise<Slice> {
  const [cpuBefore, before] = [cpuSeconds(stage.pids), await commandsOf(stage.masters)];
  const driven = await work();
  await waitUntil(() => hasCaughtUp(stage.ctx), { timeoutMs: 10_000 });
  const after = await commandsOf(stage.masters);
  const commands = after.map((count, index) => count - (before[index] ?? 0));
  return { ...driven, cpuS: cpuSeconds(stage.pids) - cpuBefore, commands };
}

async function commandsOf(masters: readonly RunningStore[]): Promise<number[]> {
  return Promise.all(
    masters.map(async ({ url }) => {
      const client = new Redis(url);
      const info = await client.info('stats');
      client.disconnect();
      return Number(/total_commands_processed:(\d+)/.exec(info)?.[1]);
    }),
  );
}

async function spend({ tokens }: Stage, urls: readonly string[], seconds: number) {
  const ports = urls.map((url) => Number(new URL(url).port));
  const { ok, seconds: took } = await drive(ports, tokens, CLIENTS, seconds);
  return { done: ok, seconds: took };
}

async function record({ keys }: Stage, urls: readonly string[], seconds: number) {
  const pools = urls.map((url) => new Pool(url, { connections: CLIENTS / urls.length }));
  const { times, seconds: took } = await runClients(CLIENTS, seconds, async (client) => {
    const pool = pools[client % pools.length] as Pool;
    await postSignals(pool, keys[client % keys.length] ?? '');
  });
  await Promise.all(pools.map((pool) => pool.close()));
  return { done: times.length * PER_REQUEST, seconds: took };
}

async function postSignals(pool: Pool, key: string): Promise<void> {
  const ts = new Date().toISOString();
  const list = Array.from({ length: PER_REQUEST }, () => {
    const id = newId('usr');
    return { id, ts, adapter: 'bench', user_id: id, model: 'gpt-4o-mini', tokens_in: 100, tokens_out: 10 };
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ signals: list });
  const answer = await pool.request({ path: '/api/v1/signals', method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`Signals were answered with ${answer.statusCode}`);
}
