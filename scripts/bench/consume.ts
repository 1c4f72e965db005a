import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { ensureAccount } from '../../shared/credits/ledger/ensure-account.ts';
import { grantCredits } from '../../shared/credits/ledger/grant-credits.ts';
import { recoverCredits } from '../../shared/credits/ledger/open-shards.ts';
import { putDevice } from '../../shared/credits/meter/device-access.ts';
import { lookAtShards } from '../../shared/credits/meter/look-at-shards.ts';
import { readBalances } from '../../shared/credits/meter/read-balance.ts';
import { credentialHash, mintDeviceToken } from '../../shared/keys/credential.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { createLog } from '../../shared/platform/basics/log.ts';
import { type Context, openContext } from '../../shared/platform/context/context.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { createIndexes } from '../../shared/tables/collections.ts';
import { JOBS } from '../../shared/tables/jobs.ts';
import { findFreePort } from '../stack/ports.ts';
import { startMongo, startRedis } from '../stack/stores.ts';
import { waitUntil } from '../stack/wait.ts';
import { cpuSeconds } from './bench.ts';

interface Options {
  seconds: number;
  clients: number;
  accounts: number;
  worker: boolean;
}

interface Figures {
  run: string;
  rps: number;
  p50_ms: number;
  p99_ms: number;
  /** CPU time for one answer: steadier than rps on a machine that others use too. */
  cpu_us: number;
  api_us: number;
  redis_us: number;
  worker_us: number;
  mongo_us: number;
  client_us: number;
  ok: number;
  other: number;
}

/** CPU seconds by who used them. */
interface CpuTimes {
  api: number;
  redis: number;
  worker: number;
  mongo: number;
  client: number;
}

/** The runs take turns, so that what else the machine does in the meantime meets each of them. */
const ROUNDS = 4;
/** Until what runs is compiled code, and connections, accounts and devices are known. */
const WARM_UP_S = 4;

interface Run {
  run: string;
  ports: number[];
  who: string[];
}

interface Slice {
  ok: number;
  other: number;
  seconds: number;
  latencies: number[];
  cpuS: CpuTimes;
}

/** `consume [--seconds 10] [--clients 32] [--accounts 1000] [--no-worker]` */
export async function runConsumeBench(args: string[]): Promise<void> {
  const options = parse(args);
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-bench-'));
  const [redis, mongo] = await Promise.all([
    startRedis({ port: await findFreePort(), dir: join(folder, 'redis') }),
    startMongo({ port: await findFreePort(), dir: join(folder, 'mongo') }),
  ]);
  const children: ChildProcess[] = [];
  const env = environment(redis.url, mongo.url);
  const ctx = await openContext(readConfig(env), {
    process: 'cli',
    log: createLog({ level: 'silent', process: 'bench' }),
  });
  try {
    await createIndexes(ctx.db);
    await Promise.all([waitUntilReady(ctx.redis.meter, 5_000), waitUntilReady(ctx.redis.producer, 5_000)]);
    await recoverCredits(ctx);
    const tokens = await makeTokens(ctx, options.accounts);
    const [apiPort, secondPort, floorPort] = [
      await findFreePort(),
      await findFreePort(),
      await findFreePort(),
    ];
    // By port; the worker has none.
    const pids = new Map<number, number>();
    const cpuTimes = (ports: readonly number[]): CpuTimes => ({
      api: cpuSeconds(ports.map((port) => pids.get(port) ?? 0)),
      redis: cpuSeconds([redis.pid]),
      worker: options.worker ? cpuSeconds([pids.get(0) ?? 0]) : 0,
      mongo: cpuSeconds([mongo.pid]),
      client: cpuSeconds([process.pid]),
    });
    const start = async (script: string, port: number) => {
      const child = spawn(process.execPath, [script], {
        env: { ...env, PORT: String(port) },
        stdio: 'inherit',
      });
      children.push(child);
      pids.set(port, child.pid ?? 0);
      if (port > 0) await waitUntil(() => isUp(port), { timeoutMs: 20_000 });
    };
    await start('scripts/bench/floor-server.ts', floorPort);
    await start('api/main.ts', apiPort);
    if (options.worker) await start('workers/main.ts', 0);
    await start('api/main.ts', secondPort);
    const runs: Run[] = [
      { run: 'floor', ports: [floorPort], who: tokens },
      { run: `${options.accounts} accounts`, ports: [apiPort], who: tokens },
      { run: 'one hot account', ports: [apiPort], who: tokens.slice(0, 1) },
      { run: `${options.accounts} accounts, 2 api processes`, ports: [apiPort, secondPort], who: tokens },
    ];
    for (const { ports, who } of runs) await drive(ports, who, options.clients, WARM_UP_S);
    if (options.worker) await waitUntil(() => hasCaughtUp(ctx), { timeoutMs: 30_000 });
    const slices = runs.map((): Slice[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { ports, who }] of runs.entries()) {
        const before = cpuTimes(ports);
        const driven = await drive(ports, who, options.clients, options.seconds / ROUNDS);
        // A run pays for its own ledger rows, not the next one.
        if (options.worker) await waitUntil(() => hasCaughtUp(ctx), { timeoutMs: 10_000 });
        slices[index]?.push({ ...driven, cpuS: difference(cpuTimes(ports), before) });
      }
    }
    const table = runs.map(({ run }, index) => figuresOf(run, slices[index] ?? []));
    report(table);
  } finally {
    await Promise.all(children.map(endChild));
    await ctx.close();
    await Promise.all([redis.stop(), mongo.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function parse(args: readonly string[]): Options {
  const number = (name: string, fallback: number) => {
    const at = args.indexOf(name);
    return at === -1 ? fallback : Number(args[at + 1]);
  };
  return {
    seconds: Math.min(60, number('--seconds', 10)),
    clients: Math.min(256, number('--clients', 32)),
    accounts: Math.min(10_000, number('--accounts', 1_000)),
    worker: !args.includes('--no-worker'),
  };
}

export function environment(redisUrl: string, mongoUrl: string): Record<string, string> {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const secret = () => randomBytes(32).toString('base64url');
  return {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    BASE_URL: 'http://127.0.0.1',
    WORKER_PORT: '0',
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    OPERATOR_TOKEN: secret(),
    API_KEY_PEPPER: secret(),
    CURSOR_SECRET: secret(),
    SESSION_SECRET: secret(),
    WEBHOOK_SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    SIGNING_KEY: JSON.stringify({ ...jwk, kid: 'bench' }),
    RATE_LIMIT_PER_KEY: '1000000',
    LEDGER_STREAM_ENTRIES_PER_SHARD: '1000000',
    LOG_LEVEL: 'warn',
    ...(process.env.BENCH_PROF
      ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${process.env.BENCH_PROF}` }
      : {}),
  };
}

export async function makeTokens(ctx: Context, count: number): Promise<string[]> {
  const { _id: org } = await createOrganization(ctx, { name: 'Bench', plan: 'enterprise' });
  const tokens: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const accountId = newId('usr');
    await ensureAccount(ctx, { _id: accountId, org_id: org, user_id: accountId });
    await grantCredits(ctx, { accountId, bucket: 'paid', amount: 1e9, idempotencyKey: 'bench' });
    const { id, token } = mintDeviceToken(accountId);
    const hmac = credentialHash(token, ctx.config.apiKeyPepper);
    await putDevice(ctx, accountId, { device_id: newId('dev'), token_id: id, token_hmac: hmac });
    tokens.push(token);
    if (made === 0) await readBalances(ctx, accountId);
  }
  return tokens;
}

/** The ledger has every spend, and what the worker does when it starts is done. */
export async function hasCaughtUp(ctx: Context): Promise<boolean> {
  const queues = JOBS.map(({ kind }) => ctx.queues.of(kind));
  const active = await Promise.all(queues.map((queue) => queue.getActiveCount()));
  const looks = await lookAtShards(ctx);
  return active.every((count) => count === 0) && looks.every(({ length }) => length === 0);
}

async function endChild(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const insist = setTimeout(() => child.kill('SIGKILL'), 8_000);
  await ended;
  clearTimeout(insist);
}

function difference(after: CpuTimes, before: CpuTimes): CpuTimes {
  return {
    api: after.api - before.api,
    redis: after.redis - before.redis,
    worker: after.worker - before.worker,
    mongo: after.mongo - before.mongo,
    client: after.client - before.client,
  };
}

async function isUp(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** Keep-alive clients, each with one request under way. */
export async function drive(
  ports: readonly number[],
  tokens: readonly string[],
  clients: number,
  forSeconds: number,
): Promise<Omit<Slice, 'cpuS'>> {
  const pools = ports.map(
    (port) => new Pool(`http://127.0.0.1:${port}`, { connections: clients / ports.length, pipelining: 1 }),
  );
  const latencies: number[] = [];
  let [ok, other] = [0, 0];
  const startedMs = performance.now();
  const endMs = startedMs + forSeconds * 1_000;
  const run = randomBytes(6).toString('hex');
  const client = async (number: number) => {
    const pool = pools[number % pools.length] as Pool;
    for (let count = 0; performance.now() < endMs; count += 1) {
      const token = tokens[(number * 7_919 + count) % tokens.length] ?? '';
      const sentMs = performance.now();
      const status = await post(pool, token, `${run}-${number}-${count}`);
      latencies.push(performance.now() - sentMs);
      if (status === 200) ok += 1;
      else other += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  const seconds = (performance.now() - startedMs) / 1_000;
  await Promise.all(pools.map((pool) => pool.close()));
  return { ok, other, seconds, latencies };
}

function figuresOf(run: string, slices: readonly Slice[]): Figures {
  const sum = (of: (slice: Slice) => number) => slices.reduce((total, slice) => total + of(slice), 0);
  const latencies = slices.flatMap((slice) => slice.latencies).sort((a, b) => a - b);
  const at = (share: number) => Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 10) / 10;
  const ok = sum((slice) => slice.ok);
  const micros = (who: keyof CpuTimes) => Math.round((sum(({ cpuS }) => cpuS[who]) / Math.max(1, ok)) * 1e6);
  const cpu = {
    api_us: micros('api'),
    redis_us: micros('redis'),
    worker_us: micros('worker'),
    mongo_us: micros('mongo'),
    client_us: micros('client'),
  };
  return {
    run,
    rps: Math.round(ok / sum((slice) => slice.seconds)),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    cpu_us: Object.values(cpu).reduce((total, part) => total + part, 0),
    ...cpu,
    ok,
    other: sum((slice) => slice.other),
  };
}

const BODY = JSON.stringify({ output_sha256: 'ab'.repeat(32) });

/** The status. Dispatched without a stream for the answer: the client shares the cores of what it measures. */
function post(pool: Pool, token: string, key: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  return new Promise((resolve, reject) => {
    let status = 0;
    pool.dispatch(
      { path: '/v1/meter/consume', method: 'POST', headers, body: BODY },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => {
          status = code;
        },
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

function report(table: readonly Figures[]): void {
  console.table(table);
  const [floor, many, hot] = table;
  const ratios = {
    of_floor: Math.round(((many?.rps ?? 0) / (floor?.rps ?? 1)) * 100) / 100,
    cpu_of_floor: Math.round(((many?.cpu_us ?? 0) / (floor?.cpu_us || 1)) * 100) / 100,
    hot_of_many: Math.round(((hot?.rps ?? 0) / (many?.rps ?? 1)) * 100) / 100,
  };
  console.log(JSON.stringify({ bench: 'consume', runs: table, ...ratios }));
}
