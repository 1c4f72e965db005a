import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { credentialHash, mintDeviceToken } from '../../shared/core/accounts/keys/credential.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { ensureAccount } from '../../shared/core/credits/ledger/ensure-account.ts';
import { grantCredits } from '../../shared/core/credits/ledger/grant-credits.ts';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { putDevice } from '../../shared/core/credits/meter/account-record.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { readShardStates } from '../../shared/core/credits/meter/shards.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { JOBS } from '../../shared/tables/jobs.ts';
import { findFreePort } from '../stack/ports.ts';
import { waitUntil } from '../stack/wait.ts';
import { cpuSeconds, numberOption, onStage, percentiles, report, round, runClients } from './bench.ts';
import { type Stage, untilAnswered } from './stage.ts';

/** CPU seconds by who used them. */
type CpuTimes = Record<'api' | 'redis' | 'worker' | 'mongo' | 'client', number>;

/** The runs take turns, so that what else the machine does in the meantime meets each of them. */
const ROUNDS = 4;
/** Until what runs is compiled code, and connections, accounts and devices are known. */
const WARM_UP_S = 4;

/** As an operator runs it: limits are counted, and are far away. */
export const AS_IN_PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'http://127.0.0.1',
  RATE_LIMITS: 'on',
  RATE_LIMIT_PER_KEY: '1000000',
  LEDGER_STREAM_ENTRIES_PER_SHARD: '1000000',
};

interface Server {
  url: string;
  pid: number;
}

interface Run {
  run: string;
  servers: readonly Server[];
  who: readonly string[];
  slices: Slice[];
}

interface Slice {
  ok: number;
  other: number;
  seconds: number;
  times: number[];
  cpuS: CpuTimes;
}

/** `consume [--seconds 10] [--clients 32] [--accounts 1000] [--no-worker]` */
export async function runConsumeBench(args: string[]): Promise<void> {
  const seconds = Math.min(60, numberOption(args, 'seconds', 10));
  const clients = Math.min(256, numberOption(args, 'clients', 32));
  const accounts = Math.min(10_000, numberOption(args, 'accounts', 1_000));
  await onStage(async (stage) => {
    await openShards(stage.ctx);
    const tokens = await makeTokens(stage.ctx, accounts);
    const floor = await startFloor(stage);
    const first = await stage.startApi();
    const worker = args.includes('--no-worker') ? null : await stage.startWorker();
    const second = await stage.startApi();
    const run = (name: string, servers: readonly Server[], who: readonly string[]): Run => {
      return { run: name, servers, who, slices: [] };
    };
    const runs = [
      run('floor', [floor], tokens),
      run(`${accounts} accounts`, [first], tokens),
      run('one hot account', [first], tokens.slice(0, 1)),
      run(`${accounts} accounts, 2 api processes`, [first, second], tokens),
    ];
    const cpuTimes = (servers: readonly Server[]): CpuTimes => ({
      api: cpuSeconds(servers.map(({ pid }) => pid)),
      redis: cpuSeconds([stage.redis.pid]),
      worker: worker ? cpuSeconds([worker.pid]) : 0,
      mongo: cpuSeconds([stage.mongo.pid]),
      client: cpuSeconds([process.pid]),
    });
    const catchUp = async () => worker && waitUntil(() => hasCaughtUp(stage.ctx), { timeoutMs: 30_000 });
    for (const { servers, who } of runs) await drive(servers, who, clients, WARM_UP_S);
    await catchUp();
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      for (const { servers, who, slices } of runs) {
        const before = cpuTimes(servers);
        const driven = await drive(servers, who, clients, seconds / ROUNDS);
        // A run pays for its own ledger rows, not the next one.
        await catchUp();
        slices.push({ ...driven, cpuS: difference(cpuTimes(servers), before) });
      }
    }
    report('consume', withRatios(runs.map(figuresOf)));
  }, AS_IN_PRODUCTION);
}

/** The least that a signed, durable spend can cost here. */
export async function startFloor(stage: Stage): Promise<Server> {
  const port = await findFreePort();
  const { pid } = stage.start(['packages/bench/floor-server.ts'], { PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswered(`${url}/readyz`);
  return { url, pid };
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
  const looks = await readShardStates(ctx);
  return active.every((count) => count === 0) && looks.every(({ length }) => length === 0);
}

function difference(after: CpuTimes, before: CpuTimes): CpuTimes {
  const names = Object.keys(after) as (keyof CpuTimes)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as CpuTimes;
}

/** Keep-alive clients, each with one request under way. */
export async function drive(
  servers: readonly Pick<Server, 'url'>[],
  tokens: readonly string[],
  clients: number,
  forSeconds: number,
): Promise<Omit<Slice, 'cpuS'>> {
  const connections = clients / servers.length;
  const pools = servers.map(({ url }) => new Pool(url, { connections, pipelining: 1 }));
  const run = randomBytes(6).toString('hex');
  let [sent, ok] = [0, 0];
  const { times, seconds } = await runClients(clients, forSeconds, async (client) => {
    sent += 1;
    const token = tokens[(sent * 7_919) % tokens.length] ?? '';
    const status = await spend(pools[client % pools.length] as Pool, token, `${run}-${sent}`);
    if (status === 200) ok += 1;
  });
  await Promise.all(pools.map((pool) => pool.close()));
  return { ok, other: times.length - ok, seconds, times };
}

function figuresOf({ run, slices }: Run) {
  const sum = (of: (slice: Slice) => number) => slices.reduce((total, slice) => total + of(slice), 0);
  const times = slices.flatMap((slice) => slice.times);
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
    ...percentiles(times, 1),
    // For one answer: steadier than rps on a machine that others use too.
    cpu_us: Object.values(cpu).reduce((total, part) => total + part, 0),
    ...cpu,
    ok,
    other: sum((slice) => slice.other),
  };
}

function withRatios(figures: readonly ReturnType<typeof figuresOf>[]): object[] {
  const [floor] = figures;
  return figures.map((row) => ({
    ...row,
    of_floor: round(row.rps / (floor?.rps ?? 1)),
    cpu_of_floor: round(row.cpu_us / (floor?.cpu_us || 1)),
  }));
}

const BODY = JSON.stringify({ output_sha256: 'ab'.repeat(32) });

/** Spends a credit; the status. Dispatched without a stream for the answer: the client shares the cores of what it measures. */
export function spend(pool: Pool, token: string, key: string): Promise<number> {
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
