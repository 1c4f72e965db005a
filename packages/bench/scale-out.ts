import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import type { RunningStore } from '../stack/stores.ts';
import { waitUntil } from '../stack/wait.ts';
import { cpuSeconds, numberOption, onStage, type Row, report, round, runClients } from './bench.ts';
import { AS_IN_PRODUCTION, drive, hasCaughtUp, makeTokens } from './consume.ts';
import { callOf, makeKey, postSignals, type Stage } from './stage.ts';

const APIS = [1, 2, 4];
const WORKERS = [1, 2];
const CLIENTS = 16;
const ACCOUNTS = 200;
/** Each has a batch of its own under way, in each process. */
const ORGANIZATIONS = 8;
const PER_REQUEST = 10;
const ROUNDS = 2;

interface Bench extends Stage {
  apis: { url: string }[];
  /** All processes that serve, so not the client. */
  pids: number[];
  tokens: string[];
  keys: string[];
}

/** The work done within a slice of a run. */
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
  const rows: Row[] = [];
  for (const masters of [1, 3]) rows.push(...(await measureOn(masters, seconds)));
  report('scale-out', rows);
}

async function measureOn(masters: number, seconds: number): Promise<Row[]> {
  return onStage(
    async (stage) => {
      await openShards(stage.ctx);
      const keys: string[] = [];
      for (let index = 0; index < ORGANIZATIONS; index += 1) keys.push((await makeKey(stage)).key);
      const tokens = await makeTokens(stage.ctx, ACCOUNTS);
      const apis = await Promise.all(Array.from({ length: Math.max(...APIS) }, () => stage.startApi()));
      const pids = [stage.mongo, ...stage.masters, ...apis].map(({ pid }) => pid);
      const rows: Row[] = [];
      for (const workers of WORKERS) {
        pids.push((await stage.startWorker()).pid);
        rows.push(...(await measureWith({ ...stage, apis, pids, tokens, keys }, workers, seconds)));
      }
      return rows;
    },
    AS_IN_PRODUCTION,
    { masters },
  );
}

/** The numbers of apis take turns, so that what else the machine does meets each of them. */
async function measureWith(bench: Bench, workers: number, seconds: number): Promise<Row[]> {
  const works = { spends: spend, signals: record };
  const cells = APIS.flatMap((apis) =>
    (['spends', 'signals'] as const).map((what) => ({ apis, what, slices: [] as Slice[] })),
  );
  for (const { apis, what } of cells) await works[what](bench, bench.apis.slice(0, apis), seconds / 2);
  for (let turn = 0; turn < ROUNDS; turn += 1)
    for (const { apis, what, slices } of cells) {
      const some = bench.apis.slice(0, apis);
      slices.push(await measure(bench, () => works[what](bench, some, seconds)));
    }
  return cells.map(({ apis, what, slices }) => {
    const sum = (of: (slice: Slice) => number) => slices.reduce((total, slice) => total + of(slice), 0);
    const perCpuSecond = (own: readonly Slice[]) =>
      own.reduce((total, { done }) => total + done, 0) / own.reduce((total, { cpuS }) => total + cpuS, 0);
    const one = cells.find((cell) => cell.apis === 1 && cell.what === what)?.slices ?? slices;
    return {
      masters: bench.masters.length,
      workers,
      apis,
      what,
      per_s: round(sum(({ done }) => done) / sum((slice) => slice.seconds), 0),
      per_cpu_s: round(perCpuSecond(slices), 0),
      of_one_api: round(perCpuSecond(slices) / perCpuSecond(one)),
      commands_per_master: bench.masters
        .map((_, index) => sum(({ commands }) => commands[index] ?? 0))
        .join(' '),
    };
  });
}

/** With what it leaves to the workers: the ledger's rows and the jobs. */
async function measure(bench: Bench, work: () => Promise<{ done: number; seconds: number }>): Promise<Slice> {
  const [cpuBefore, before] = [cpuSeconds(bench.pids), await commandsOf(bench.masters)];
  const driven = await work();
  await waitUntil(() => hasCaughtUp(bench.ctx), { timeoutMs: 10_000 });
  const after = await commandsOf(bench.masters);
  const commands = after.map((count, index) => count - (before[index] ?? 0));
  return { ...driven, cpuS: cpuSeconds(bench.pids) - cpuBefore, commands };
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

async function spend({ tokens }: Bench, apis: Bench['apis'], seconds: number) {
  const { ok, seconds: took } = await drive(apis, tokens, CLIENTS, seconds);
  return { done: ok, seconds: took };
}

async function record({ keys }: Bench, apis: Bench['apis'], seconds: number) {
  const pools = apis.map(({ url }) => new Pool(url, { connections: CLIENTS / apis.length }));
  const newUsers = () => Array.from({ length: PER_REQUEST }, () => newId('usr')).map((id) => callOf(id, id));
  const { times, seconds: took } = await runClients(CLIENTS, seconds, (client) =>
    postSignals(pools[client % pools.length] as Pool, keys[client % keys.length] ?? '', newUsers()),
  );
  await Promise.all(pools.map((pool) => pool.close()));
  return { done: times.length * PER_REQUEST, seconds: took };
}
