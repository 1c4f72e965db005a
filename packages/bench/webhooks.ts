import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { eventIdOf } from '../../shared/core/events/record/new-event.ts';
import { deliveryRows, queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { planEvents } from '../../shared/core/events/webhooks/deliveries/plan-events.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { findSubscribers } from '../../shared/core/events/webhooks/endpoints/find-subscribers.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { post } from '../../shared/core/events/webhooks/sending/post.ts';
import { signedHeaders } from '../../shared/core/events/webhooks/sending/sign.ts';
import { WEBHOOK_WAITS_MS } from '../../shared/platform/basics/contract.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { commitPlan } from '../../shared/platform/context/commit-plan.ts';
import { waitUntil } from '../stack/wait.ts';
import { cpuSeconds, percentiles, report, round } from './bench.ts';
import { callOf, postSignals, type Running, type Stage, setStage } from './stage.ts';
import type { Arrival } from './webhook-receiver.ts';

export const SECRET = 'the-secret-of-the-bench-0123456789';
const BODY_BYTES = 545;
const PUBLISHERS = 16;
/** Deliveries before anything is timed: a process that has just started is slower. */
const WARM_UP = 1_000;

export interface Bench extends Stage {
  receiver: ChildProcess;
  base: string;
  events: number;
}
export type Figures = Record<string, number | string>;

export type Phase = (bench: Bench) => Promise<Figures[]>;

const PHASES: Record<string, Phase> = {
  throughput,
  signals,
  latency: (bench) => latency(bench, 0, 20),
  isolation20: (bench) => latency(bench, 20, 100),
  isolation200: (bench) => latency(bench, 200, 100),
  retries,
  recovery,
};

/**
 * `npm run bench -- webhooks [phase …] [--events 3000] [--queues-apart] [--profile FOLDER]`: the queues in a Redis that keeps
 * nothing; a CPU profile of each process of the service.
 */
export async function runWebhooksBench(args: string[], more: Record<string, Phase>): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      events: { type: 'string', default: '3000' },
      'queues-apart': { type: 'boolean' },
      profile: { type: 'string' },
    },
  });
  const phases =
    positionals.length > 0 ? positionals : ['throughput', 'signals', 'latency', 'retries', 'recovery'];
  const all = { ...PHASES, ...more };
  for (const phase of phases) {
    const run = all[phase];
    if (!run) throw new Error(`No phase "${phase}"; there are ${Object.keys(all).join(', ')}`);
    const { 'queues-apart': queuesApart = false, profile } = values;
    report(`webhooks, ${phase}`, await runPhase(run, Number(values.events), { queuesApart, profile }));
  }
}

async function runPhase(
  run: Phase,
  events: number,
  { queuesApart, profile }: { queuesApart: boolean; profile: string | undefined },
): Promise<Figures[]> {
  const profiled = profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` };
  const stage = await setStage(profiled, { queuesApart });
  const { receiver, base } = await startReceiver();
  try {
    return await run({ ...stage, receiver, base, events });
  } finally {
    receiver.kill();
    await stage.stop();
  }
}

/** Starts the endpoints in a process of their own. `base` is the beginning of their addresses. */
export async function startReceiver(): Promise<Pick<Bench, 'receiver' | 'base'>> {
  const receiver = fork(new URL('./webhook-receiver.ts', import.meta.url), { serialization: 'advanced' });
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
  return { receiver, base: `http://127.0.0.1:${port}` };
}

/** The whole path, events committed in batches by 16 publishers, to one endpoint and to 100, beside a bare client. */
async function throughput(bench: Bench): Promise<Figures[]> {
  const figures: Figures[] = [];
  const worker = await bench.startWorker();
  const warm = await makeOrgs(bench, 1, () => '/ok/warm');
  await publishAll(bench, warm, WARM_UP);
  await untilRecorded(bench, warm);
  await takeArrivals(bench);
  const bare = await bareRate(bench);
  for (const endpoints of [1, 100]) {
    const orgs = await makeOrgs(bench, endpoints, (index) => `/ok/${endpoints}-${index}`);
    const cpu = cpuOf(bench, worker);
    const startedMs = performance.now();
    await publishAll(bench, orgs, bench.events);
    const publishedMs = performance.now() - startedMs;
    await untilRecorded(bench, orgs);
    const tookS = (performance.now() - startedMs) / 1_000;
    figures.push({
      phase: 'throughput',
      endpoints,
      events: bench.events,
      publish_per_s: Math.round((bench.events / publishedMs) * 1_000),
      deliveries_per_s: Math.round(bench.events / tookS),
      bare_per_s: Math.round(bare),
      ratio: round(bench.events / tookS / bare),
      cpu_ms: cpu(),
      arrived: (await takeArrivals(bench)).length,
    });
  }
  await worker.end();
  return figures;
}

/** The same, published as signals that each begin a session, ten a request. */
async function signals(bench: Bench): Promise<Figures[]> {
  const worker = await bench.startWorker();
  const api = await bench.startApi();
  const orgs = await makeOrgs(bench, 1, () => '/ok/signals');
  const { key } = await createApiKey(bench.ctx, { org_id: orgs[0] ?? '', scopes: ['signals:write'] });
  const pool = new Pool(api.url, { connections: PUBLISHERS });
  const startedMs = performance.now();
  let sent = 0;
  const publisher = async (): Promise<void> => {
    while (sent < bench.events) {
      const from = sent;
      sent += 10;
      const ids = Array.from({ length: 10 }, (_, index) => `b-${from + index}`);
      await postSignals(
        pool,
        key,
        ids.map((id) => callOf(id, id)),
      );
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  const publishS = (performance.now() - startedMs) / 1_000;
  await untilRecorded(bench, orgs);
  const tookS = (performance.now() - startedMs) / 1_000;
  await Promise.all([worker.end(), api.end()]);
  return [
    {
      phase: 'signals',
      events: bench.events,
      publish_per_s: Math.round(bench.events / publishS),
      deliveries_per_s: Math.round(bench.events / tookS),
    },
  ];
}

/** 20 events/s to one endpoint, and as many to the `hung` ones beside it, which take turns. */
async function latency(bench: Bench, hung: number, seconds: number): Promise<Figures[]> {
  const worker = await bench.startWorker();
  const [healthy = ''] = await makeOrgs(bench, 1, () => '/ok/latency');
  const hanging = hung === 0 ? [] : await makeOrgs(bench, hung, (index) => `/hang/${index}`);
  await publishAll(bench, [healthy], WARM_UP);
  await untilRecorded(bench, [healthy]);
  await takeArrivals(bench);
  const committed = new Map<string, number>();
  const nextMs = performance.now();
  let late = 0;
  for (let index = 0; index < seconds * 20; index += 1) {
    await sleepUntil(nextMs + index * 50);
    const neighbour = hanging[index % hanging.length];
    if (neighbour) void publish(bench, neighbour).catch(() => undefined);
    const startedMs = performance.now();
    const id = await publish(bench, healthy);
    committed.set(id, wallMs());
    if (performance.now() - startedMs > 50) late += 1;
  }
  await untilRecorded(bench, [healthy]);
  const arrived = new Map((await takeArrivals(bench)).map((arrival) => [arrival.id, arrival.atMs]));
  const delays = [...committed].map(([id, atMs]) => Math.max(0, (arrived.get(id) ?? Number.NaN) - atMs));
  await worker.end('SIGKILL');
  return [{ phase: 'latency', hung, events: committed.size, slow_publishes: late, ...percentiles(delays) }];
}

/**
 * 200 events whose first three attempts fail, with waits of 1, 10 and 60 s: how much later than due each retry arrived, and
 * how much later than the wait after the attempt before it had arrived, which counts the receiver's answer too.
 */
async function retries(bench: Bench): Promise<Figures[]> {
  const scale = 30;
  const worker = await bench.startWorker({ TIME_SCALE: String(scale) });
  const orgs = await makeOrgs(bench, 10, (index) => `/third/${index}`);
  for (let index = 0; index < 200; index += 1) await publish(bench, orgs[index % orgs.length] ?? '');
  await untilRecorded(bench, orgs);
  const arrivals = new Map(
    (await takeArrivals(bench)).map((each) => [`${each.id} ${each.attempt}`, each.atMs]),
  );
  const deliveries = await deliveryRows(bench.ctx)
    .find({ org_id: { $in: orgs } })
    .toArray();
  const retried = deliveries.flatMap(({ event_id: id, attempts }) =>
    attempts.slice(0, -1).map(({ number, at, latency_ms }) => {
      const arrivedMs =
        (arrivals.get(`${id} ${number + 1}`) ?? Number.NaN) -
        (WEBHOOK_WAITS_MS[number] ?? Number.NaN) / scale;
      const late = arrivedMs - (at.getTime() + latency_ms);
      return { late, apart: arrivedMs - (arrivals.get(`${id} ${number}`) ?? Number.NaN) };
    }),
  );
  await worker.end('SIGKILL');
  const between = percentiles(retried.map(({ apart }) => apart));
  return [
    {
      phase: 'retries',
      events: deliveries.length,
      retries: retried.length,
      ...percentiles(retried.map(({ late }) => late)),
      between_arrivals_p50_ms: between.p50_ms,
      between_arrivals_p99_ms: between.p99_ms,
    },
  ];
}

/** The worker is killed in the middle; another one starts at once, as a supervisor would have it. */
async function recovery(bench: Bench): Promise<Figures[]> {
  const first = await bench.startWorker();
  const orgs = await makeOrgs(bench, 1, () => '/ok/recovery');
  const published = publishAll(bench, orgs, bench.events);
  await untilTrue(async () => (await countArrivals(bench)) > bench.events / 3);
  await first.end('SIGKILL');
  const killedMs = wallMs();
  const unrecorded = (await countArrivals(bench)) - (await countRecorded(bench, orgs));
  const second = await bench.startWorker();
  await published;
  await untilRecorded(bench, orgs);
  const arrivals = await takeArrivals(bench);
  const seen = Map.groupBy(arrivals, ({ id }) => id);
  const doubled = [...seen.values()].filter((sent) => sent.length > 1);
  const after = arrivals.filter(({ atMs }) => atMs > killedMs).map(({ atMs }) => atMs - killedMs);
  await second.end('SIGKILL');
  return [
    {
      phase: 'recovery',
      events: bench.events,
      missing: bench.events - seen.size,
      doubled: doubled.length,
      unrecorded_at_kill: unrecorded,
      first_after_kill_ms: Math.round(Math.min(...after)),
      last_doubled_ms: Math.round(Math.max(0, ...doubled.map((sent) => (sent.at(-1)?.atMs ?? 0) - killedMs))),
      last_ms: Math.round(Math.max(...after)),
    },
  ];
}

export async function makeOrgs(
  bench: Bench,
  count: number,
  path: (index: number) => string,
): Promise<string[]> {
  const orgs: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { _id } = await createOrganization(bench.ctx, { name: 'Bench', plan: 'team' });
    const url = bench.base + path(index);
    await createWebhook(bench.ctx, _id, { url, events: ['session.started'], secret: SECRET });
    orgs.push(_id);
  }
  return orgs;
}

/** One event through the domain function; those that wait together commit together, as signals do. */
export async function publish(bench: Bench, orgId: string): Promise<string> {
  return bench.ctx.batcher.submit(`bench ${orgId}`, orgId, {
    maxWeight: 100,
    weigh: () => 1,
    run: async (batch) => {
      const events = batch.map(() => sampleEvent(orgId));
      return commitPlan(bench.ctx, async (transaction) => {
        const subscribers = await findSubscribers(bench.ctx, orgId, transaction);
        const plan = planEvents(events, subscribers, bench.ctx.clock.now());
        return { ...plan, result: events.map(eventIdOf) };
      });
    },
  });
}

/** Ten events a call, as agents send their signals in batches. */
export async function publishAll(bench: Bench, orgs: readonly string[], events: number): Promise<void> {
  let next = 0;
  const publisher = async (): Promise<void> => {
    while (next < events) {
      const orgId = orgs[(next / 10) % orgs.length] ?? '';
      next += 10;
      await Promise.all(Array.from({ length: 10 }, () => publish(bench, orgId)));
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
}

const ENVELOPE_BYTES = 160;

function sampleEvent(orgId: string) {
  const ts = new Date();
  const data = { padding: 'x'.repeat(BODY_BYTES - ENVELOPE_BYTES) };
  return { cause: [newId('ses')], type: 'session.started' as const, org_id: orgId, ts, concerns: {}, data };
}

/** Bare undici: the same signed POSTs to the same receiver, as many under way as one endpoint may have. */
async function bareRate(bench: Bench): Promise<number> {
  const pool = new Pool(bench.base, { connections: 64 });
  const body = JSON.stringify(sampleEvent('org'));
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < bench.events) {
      next += 1;
      const headers = signedHeaders([SECRET], { eventId: `evt_${next}`, body, attempt: 1, atMs: Date.now() });
      await post(pool, { path: '/ok/bare', headers, body, timeoutMs: 10_000, answerBytes: 16_384 });
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: 64 }, client));
  const rate = (bench.events / (performance.now() - startedMs)) * 1_000;
  await takeArrivals(bench);
  await pool.close();
  return rate;
}

/** Milliseconds of processor that each process takes for one delivery from here on. */
function cpuOf(bench: Bench, worker: Running): () => string {
  const pids = {
    worker: worker.pid,
    publisher: process.pid,
    mongo: bench.mongo.pid,
    redis: bench.queues.pid,
    receiver: bench.receiver.pid ?? 0,
  };
  const read = () => Object.values(pids).map((pid) => 1_000 * cpuSeconds([pid]));
  const before = read();
  return () =>
    read()
      .map((ms, index) => ((ms - (before[index] ?? 0)) / bench.events).toFixed(2))
      .map((each, index) => `${Object.keys(pids)[index]} ${each}`)
      .join(', ');
}

/** Nothing of these organizations is left to be done: every outcome is recorded. */
export async function untilRecorded(bench: Bench, orgs: readonly string[]): Promise<void> {
  const webhooks = await webhookRows(bench.ctx)
    .find({}, { projection: { org_id: 1 } })
    .toArray();
  const ids = webhooks.filter(({ org_id }) => orgs.includes(org_id)).map(({ _id }) => _id);
  for (const webhook_id of ids)
    await untilTrue(
      async () => !(await queuedDeliveryRows(bench.ctx).findOne({ webhook_id, state: 'pending' })),
    );
}

async function countRecorded(bench: Bench, orgs: readonly string[]): Promise<number> {
  return deliveryRows(bench.ctx).countDocuments({ org_id: orgs[0] ?? '' });
}

async function countArrivals(bench: Bench): Promise<number> {
  bench.receiver.send('count');
  const [{ count }] = (await once(bench.receiver, 'message')) as [{ count: number }];
  return count;
}

export async function takeArrivals(bench: Bench): Promise<Arrival[]> {
  bench.receiver.send('take');
  const [{ arrivals }] = (await once(bench.receiver, 'message')) as [{ arrivals: Arrival[] }];
  return arrivals;
}

export async function untilTrue(condition: () => Promise<boolean>): Promise<void> {
  const isTrue = await waitUntil(condition, { timeoutMs: 170_000, pauseMs: 20 });
  if (!isTrue) throw new Error('The bench waited for 170 s in vain');
}

export async function sleepUntil(atMs: number): Promise<void> {
  const ms = atMs - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
