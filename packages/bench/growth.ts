import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { waitUntil } from '../stack/wait.ts';
import { cpuSeconds, numberOption, percentiles, repeat, report, round, runClients, timed } from './bench.ts';
import { drive, hasCaughtUp, makeTokens } from './consume.ts';
import { setStageOfPeople, timePages } from './first-pages.ts';
import { seedTenant, sizeOf } from './seed-tenant.ts';
import { AS_SCRIPTS_UP, callOf, makeKey, postSignals, setStage } from './stage.ts';
import { PUBLISH_PHASES } from './webhook-publish.ts';
import { type Bench, startReceiver } from './webhooks.ts';

const USERS = 50;
const CLIENTS = 16;
const ACCOUNTS = 1_000;
const EVENTS = 1_000;
const WARM_UP_S = 2;
const AFTER_ANOTHER_MS = 50;
/** A worker that starts on a history makes its snapshots, weeks and months first. */
const CATCH_UP_MS = 40 * 60_000;

/** The sides take turns, so that what else the machine does in the meantime meets both of them. */
const TURNS = 4;

/** One kind of work, done for about so many seconds. */
interface Work {
  work: string;
  measure: (seconds: number) => Promise<Slice>;
}

/** An installation that is measured. */
interface Side {
  url: string;
  works: readonly Work[];
}

type Send = (seconds: number) => Promise<{ times: number[]; seconds: number }>;

/** One turn of one kind of work. */
interface Slice {
  times: number[];
  count: number;
  seconds: number;
  cpuS: number;
}

/**
 * `growth [--signals 10000000] [--sessions 1000000] [--rows 1000000] [--organizations 1000] [--seconds 10] [--reads 10] [--wait]`:
 * the same work in an empty installation and in a full one, in turns, in one organization, and then every first page of the full
 * one. Seeding takes most of an hour; `--wait` measures once a line is typed, so that the machine can be made quiet first.
 */
export async function runGrowthBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 10);
  const { stage, issuer } = await setStageOfPeople();
  const emptyStage = await setStage(AS_SCRIPTS_UP);
  const endpoints = await startReceiver();
  try {
    const own = await makeKey(stage);
    const organizations = numberOption(args, 'organizations', 1_000);
    for (let made = 1; made < organizations; made += 1)
      await createOrganization(stage.ctx, { name: `Organization ${made}`, plan: 'enterprise' });
    const size = sizeOf(args, { sessions: 1_000_000, rows: 1_000_000, signals: 10_000_000 });
    const seeding = await stage.startApi();
    const tenant = await seedTenant(stage, { url: seeding.url, ...own }, size, issuer.mint);
    await seeding.end();
    const full = await startSide({ ...stage, ...endpoints, events: EVENTS }, own.key);
    const empty = await startSide(
      { ...emptyStage, ...endpoints, events: EVENTS },
      (await makeKey(emptyStage)).key,
    );
    if (args.includes('--wait')) await typedLine();
    await warmUp([full, empty]);
    report('growth', await compareWorks(empty, full, seconds));
    report(
      'growth, first pages',
      await timePages({ ...tenant, url: full.url }, numberOption(args, 'reads', 10)),
    );
  } finally {
    issuer.server.close();
    endpoints.receiver.kill();
    await Promise.all([stage.stop(), emptyStage.stop()]);
  }
}

async function typedLine(): Promise<void> {
  console.error('Press Enter to measure.');
  const lines = createInterface(process.stdin);
  await once(lines, 'line');
  lines.close();
}

/** Starts the processes of an installation, and what works there. */
async function startSide(bench: Bench, key: string): Promise<Side> {
  await openShards(bench.ctx);
  const tokens = await makeTokens(bench.ctx, ACCOUNTS);
  const api = await bench.startApi();
  const worker = await bench.startWorker();
  const pool = new Pool(api.url, { connections: CLIENTS });
  const run = performance.now();
  let sent = 0;
  const call = () => {
    sent += 1;
    return callOf(`${run}-${sent}`, `user-${sent % USERS}`);
  };
  const post = (count: number) => postSignals(pool, key, Array.from({ length: count }, call));
  const pids = [api.pid, worker.pid, bench.mongo.pid, bench.redis.pid];
  const workOf = (work: string, each: number, send: Send): Work => ({
    work,
    measure: async (s) => {
      const before = cpuSeconds(pids);
      const sent = await send(s);
      return { ...sent, count: sent.times.length * each, cpuS: cpuSeconds(pids) - before };
    },
  });
  const works: Work[] = [
    workOf('signals, 16 clients', 1, (s) => runClients(CLIENTS, s, () => post(1))),
    workOf('signals in hundreds, 4 clients', 100, (s) => runClients(4, s, () => post(100))),
    workOf('one signal each 50 ms', 1, (s) => sendEvery(AFTER_ANOTHER_MS, s, () => post(1))),
    workOf('spends, 32 clients', 1, (s) => drive([api], tokens, 32, s)),
    { work: 'events delivered, 16 clients', measure: () => publishEvents(bench) },
  ];
  const beganMs = performance.now();
  if (!(await waitUntil(() => hasCaughtUp(bench.ctx), { timeoutMs: CATCH_UP_MS, pauseMs: 1_000 })))
    throw new Error('The first jobs of a worker have not ended');
  console.error(`A worker's first jobs: ${round((performance.now() - beganMs) / 1_000, 0)} s`);
  return { url: api.url, works };
}

async function warmUp(sides: readonly Side[]): Promise<void> {
  for (const { works } of sides) for (const { measure } of works) await measure(WARM_UP_S);
}

async function compareWorks(empty: Side, full: Side, seconds: number): Promise<object[]> {
  const rows: object[] = [];
  for (const [at, { work, measure }] of full.works.entries()) {
    const inEmpty = empty.works[at] as Work;
    const slices = { empty: [] as Slice[], full: [] as Slice[] };
    for (let turn = 0; turn < TURNS; turn += 1) {
      slices.empty.push(await inEmpty.measure(seconds / TURNS));
      slices.full.push(await measure(seconds / TURNS));
    }
    rows.push(comparison(work, figuresOf(slices.empty), figuresOf(slices.full)));
    console.error(rows.at(-1));
  }
  return rows;
}

function figuresOf(slices: readonly Slice[]): Figures {
  const sum = (of: (slice: Slice) => number) => slices.reduce((total, slice) => total + of(slice), 0);
  const count = sum((slice) => slice.count);
  return {
    per_s: round(count / sum((slice) => slice.seconds), 0),
    ...percentiles(
      slices.flatMap(({ times }) => times),
      1,
    ),
    cpu_us: round((sum(({ cpuS }) => cpuS) / count) * 1e6, 0),
  };
}

interface Figures {
  per_s: number;
  p50_ms: number;
  p99_ms: number;
  /** CPU of api, worker and stores. */
  cpu_us: number;
}

/** Each figure of both, and how it has grown: 1 is as in the empty one. */
function comparison(work: string, empty: Figures, full: Figures) {
  const both = (name: keyof Figures) => `${empty[name]}, ${full[name]}`;
  return {
    work,
    per_s: both('per_s'),
    p50_ms: both('p50_ms'),
    p99_ms: both('p99_ms'),
    cpu_us: both('cpu_us'),
    cpu_of_empty: round(full.cpu_us / empty.cpu_us),
  };
}

/** Does something every so many milliseconds, or as soon as it is done with the last one. Milliseconds of each. */
async function sendEvery(everyMs: number, seconds: number, send: () => Promise<unknown>) {
  const times: number[] = [];
  const beganMs = performance.now();
  await repeat(everyMs, beganMs + seconds * 1_000, async () => {
    times.push(await timed(send));
  });
  return { times, seconds: (performance.now() - beganMs) / 1_000 };
}

/** Publishes events through an api of its own, and waits until they are delivered. */
async function publishEvents(bench: Bench): Promise<Slice> {
  const [figures] = (await PUBLISH_PHASES.published?.(bench)) ?? [];
  const { delivered_per_s, cpu_ms } = figures ?? {};
  const seconds = bench.events / Number(delivered_per_s);
  return { times: [], count: bench.events, seconds, cpuS: (Number(cpu_ms) * bench.events) / 1_000 };
}
