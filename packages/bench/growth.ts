import { Pool } from 'undici';
import { openShards } from '../../scripts/governor/open-shards.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { cpuSeconds, numberOption, percentiles, repeat, report, round, runClients, timed } from './bench.ts';
import { drive, makeTokens } from './consume.ts';
import { setStageOfPeople, timePages } from './first-pages.ts';
import { seedTenant, sizeOf } from './seed-tenant.ts';
import { callOf, makeKey, postSignals, type Running, type Stage } from './stage.ts';
import { PUBLISH_PHASES } from './webhook-publish.ts';
import { type Bench, startReceiver } from './webhooks.ts';

const USERS = 50;
const ACCOUNTS = 1_000;
const EVENTS = 2_000;
const WARM_UP_S = 2;
const AFTER_ANOTHER_MS = 50;

interface Figures {
  work: string;
  per_s: number;
  p50_ms: number;
  p99_ms: number;
  /** CPU of api, worker and stores. */
  cpu_us: number;
}

/**
 * `growth [--signals 10000000] [--sessions 1000000] [--rows 1000000] [--organizations 1000] [--seconds 10] [--reads 10]`: the same
 * work in an empty installation and in a full one, in one organization, and then every first page.
 */
export async function runGrowthBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 10);
  const { stage, issuer } = await setStageOfPeople();
  const endpoints = await startReceiver();
  try {
    await openShards(stage.ctx);
    const tokens = await makeTokens(stage.ctx, ACCOUNTS);
    const api = await stage.startApi();
    const worker = await stage.startWorker();
    const own = await makeKey(stage);
    const measure = async () => [
      ...(await measureWork(stage, { api, worker, key: own.key, tokens, seconds })),
      await measureEvents({ ...stage, ...endpoints, events: EVENTS }),
    ];
    const empty = await measure();
    console.error(empty);
    const organizations = numberOption(args, 'organizations', 1_000);
    for (let made = 1; made < organizations; made += 1)
      await createOrganization(stage.ctx, { name: `Organization ${made}`, plan: 'enterprise' });
    const size = sizeOf(args, { sessions: 1_000_000, rows: 1_000_000, signals: 10_000_000 });
    const tenant = await seedTenant(stage, { url: api.url, ...own }, size, issuer.mint);
    const full = await measure();
    report(
      'growth',
      full.map((row, at) => ({ ...row, ...ratiosOf(row, empty[at]) })),
    );
    report('growth, first pages', await timePages(tenant, numberOption(args, 'reads', 10)));
  } finally {
    issuer.server.close();
    endpoints.receiver.kill();
    await stage.stop();
  }
}

/** Shows how a figure has grown: 1 is as before. */
function ratiosOf(full: Figures, empty: Figures | undefined) {
  if (!empty) return {};
  return {
    per_s_of_empty: round(full.per_s / empty.per_s),
    p99_of_empty: round(full.p99_ms / empty.p99_ms),
    cpu_of_empty: round(full.cpu_us / empty.cpu_us),
  };
}

interface Work {
  api: Running & { url: string };
  worker: Running;
  key: string;
  tokens: readonly string[];
  seconds: number;
}

async function measureWork(stage: Stage, { api, worker, key, tokens, seconds }: Work): Promise<Figures[]> {
  const pids = [api.pid, worker.pid, stage.mongo.pid, stage.redis.pid];
  const pool = new Pool(api.url, { connections: 16 });
  const run = performance.now();
  let sent = 0;
  const call = () => {
    sent += 1;
    return callOf(`${run}-${sent}`, `user-${sent % USERS}`);
  };
  const measured = async (
    work: string,
    each: number,
    send: () => Promise<{ times: number[]; seconds: number }>,
  ) => {
    const before = cpuSeconds(pids);
    const { times, seconds: took } = await send();
    const cpuS = cpuSeconds(pids) - before;
    return {
      work,
      per_s: round((times.length * each) / took, 0),
      ...percentiles(times, 1),
      cpu_us: round((cpuS / (times.length * each)) * 1e6, 0),
    };
  };
  const post = (count: number) => postSignals(pool, key, Array.from({ length: count }, call));
  await runClients(16, WARM_UP_S, () => post(1));
  const figures = [
    await measured('signals, 16 clients', 1, () => runClients(16, seconds, () => post(1))),
    await measured('signals in hundreds, 4 clients', 100, () => runClients(4, seconds, () => post(100))),
    await measured('one signal each 50 ms', 1, () => sendEvery(AFTER_ANOTHER_MS, seconds, () => post(1))),
  ];
  await drive([api], tokens, 32, WARM_UP_S);
  figures.push(await measured('spends, 32 clients', 1, () => drive([api], tokens, 32, seconds)));
  await pool.close();
  return figures;
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
async function measureEvents(bench: Bench): Promise<Figures> {
  const [figures] = (await PUBLISH_PHASES.published?.(bench)) ?? [];
  const { delivered_per_s, cpu_ms } = figures ?? {};
  return {
    work: 'events delivered, 16 clients',
    per_s: Number(delivered_per_s),
    p50_ms: Number.NaN,
    p99_ms: Number.NaN,
    cpu_us: Number(cpu_ms) * 1_000,
  };
}
