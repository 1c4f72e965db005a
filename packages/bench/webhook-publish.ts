import { Pool } from 'undici';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { deliveryRows, queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { findFreePort } from '../stack/ports.ts';
import { cpuSeconds, percentiles, round, runClients } from './bench.ts';
import { callOf, postSignals, type Running } from './stage.ts';
import {
  type Bench,
  type Figures,
  makeOrgs,
  type Phase,
  SECRET,
  sleepUntil,
  takeArrivals,
  untilTrue,
  wallMs,
} from './webhooks.ts';

const CLIENTS = 16;
const WARM_UP_S = 1;
const PER_SECOND = 20;

/** Phases that publish through the API: one signal of a new user per request, each raising one `session.started`. */
export const PUBLISH_PHASES: Record<string, Phase> = {
  published: (bench) => published(bench, 0),
  published1: (bench) => published(bench, 1),
  published2: (bench) => published(bench, 2),
  failing1: (bench) => published(bench, 1, failingUrl),
  failing2: (bench) => published(bench, 2, failingUrl),
  beside: (bench) => beside(bench, 0),
  beside20: (bench) => beside(bench, 20),
};

/** The processes of a phase, and one POST to them. */
interface Side {
  worker: Running;
  api: Running & { url: string };
  orgId: string;
  post: () => Promise<{ sessionId: string; sentMs: number; answeredMs: number }>;
  stop: () => Promise<void>;
}

/** A worker, an api, and an organization with one endpoint that answers. */
export async function begin(bench: Bench, clients = CLIENTS): Promise<Side> {
  const [worker, api] = await Promise.all([bench.startWorker(), bench.startApi()]);
  const [orgId = ''] = await makeOrgs(bench, 1, () => '/ok/published');
  const { key } = await createApiKey(bench.ctx, { org_id: orgId, scopes: ['signals:write'] });
  const pool = new Pool(api.url, { connections: clients });
  return {
    worker,
    api,
    orgId,
    post: async () => {
      const id = newId('usr');
      const sentMs = wallMs();
      const [result] = await postSignals(pool, key, [callOf(id, id)]);
      return { sessionId: result?.session_id ?? '', sentMs, answeredMs: wallMs() };
    },
    stop: async () => {
      await Promise.all([worker.end(), api.end()]);
      await pool.close();
    },
  };
}

/** So many webhooks of an organization more, for every event. */
async function addWebhooks(bench: Bench, orgId: string, urls: readonly string[]): Promise<void> {
  for (const url of urls)
    await createWebhook(bench.ctx, orgId, { url, events: ['session.started'], secret: SECRET });
}

/** An endpoint that refuses every connection. */
async function refusingUrl(): Promise<string> {
  return `http://127.0.0.1:${await findFreePort()}/`;
}

/** An endpoint that answers 500 to the first three attempts. */
async function failingUrl({ base }: Bench, index: number): Promise<string> {
  return `${base}/third/${index}`;
}

/**
 * 16 clients publish, and `down` endpoints beside the healthy one refuse every connection or fail: their first attempts are all
 * made and recorded within what is timed. Shows what each process takes per event.
 */
async function published(
  bench: Bench,
  down: number,
  urlOf: (bench: Bench, index: number) => Promise<string> = refusingUrl,
): Promise<Figures[]> {
  const { worker, api, orgId, post, stop } = await begin(bench);
  await runClients(CLIENTS, WARM_UP_S, post);
  await untilFirstRecorded(bench, orgId);
  await takeArrivals(bench);
  const urls = await Promise.all(Array.from({ length: down }, (_, index) => urlOf(bench, index)));
  await addWebhooks(bench, orgId, urls);
  const before = await deliveryRows(bench.ctx).countDocuments({ org_id: orgId });
  const pids = { api: api.pid, worker: worker.pid, mongo: bench.mongo.pid, redis: bench.queues.pid };
  const cpu = () => Object.values(pids).map((pid) => 1_000 * cpuSeconds([pid]));
  const cpuBefore = cpu();
  const beganMs = performance.now();
  let left = bench.events;
  const client = async (): Promise<void> => {
    for (; left > 0; await post()) left -= 1;
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const publishedS = (performance.now() - beganMs) / 1_000;
  await untilTrue(
    async () => (await deliveryRows(bench.ctx).countDocuments({ org_id: orgId })) >= before + bench.events,
  );
  const deliveredS = (performance.now() - beganMs) / 1_000;
  await untilFirstRecorded(bench, orgId);
  const attemptedS = (performance.now() - beganMs) / 1_000;
  const each = cpu().map((ms, index) => (ms - (cpuBefore[index] ?? 0)) / bench.events);
  const arrived = (await takeArrivals(bench)).filter(({ path }) => path.startsWith('/ok')).length;
  await stop();
  return [
    {
      phase: urlOf === failingUrl ? 'failing' : 'published',
      down,
      events: bench.events,
      published_per_s: Math.round(bench.events / publishedS),
      delivered_per_s: Math.round(bench.events / deliveredS),
      attempted_s: round(attemptedS),
      cpu_ms: round(each.reduce((sum, ms) => sum + ms, 0)),
      of: each.map((ms, index) => `${Object.keys(pids)[index]} ${ms.toFixed(2)}`).join(', '),
      arrived,
    },
  ];
}

/** No first attempt of the organization is without an outcome. */
async function untilFirstRecorded(bench: Bench, orgId: string): Promise<void> {
  const first = { org_id: orgId, state: 'pending', attempt: 1 } as const;
  await untilTrue(async () => !(await queuedDeliveryRows(bench.ctx).findOne(first)));
}

/**
 * One signal per twentieth of a second, whose event goes to the healthy endpoint and to `hung` others that accept and never
 * answer: from the POST to its answer and to its arrival.
 */
async function beside(bench: Bench, hung: number): Promise<Figures[]> {
  const { orgId, post, stop, worker } = await begin(bench);
  await runClients(1, WARM_UP_S, post);
  const urls = Array.from({ length: hung }, (_, index) => `${bench.base}/hang/${index}`);
  await addWebhooks(bench, orgId, urls);
  await runClients(1, WARM_UP_S, post);
  await takeArrivals(bench);
  const sent = new Map<string, number>();
  const answered: number[] = [];
  const count = Math.min(bench.events, 600);
  const beganMs = performance.now();
  for (let index = 0; index < count; index += 1) {
    await sleepUntil(beganMs + (index * 1_000) / PER_SECOND);
    const { sessionId, sentMs, answeredMs } = await post();
    answered.push(answeredMs - sentMs);
    sent.set(sessionId, sentMs);
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const cpu = cpuSeconds([worker.pid]);
  const arrivals = (await takeArrivals(bench)).filter(({ path }) => path.startsWith('/ok'));
  const delays = arrivals.flatMap(({ session, atMs }) => {
    const sentMs = sent.get(session);
    return sentMs === undefined ? [] : [atMs - sentMs];
  });
  void stop();
  const post_ms = percentiles(answered);
  return [
    {
      phase: 'beside',
      hung,
      signals: count,
      arrived: delays.length,
      post_ms: `${post_ms.p50_ms} / ${post_ms.p99_ms}`,
      ...percentiles(delays),
      worker_cpu_s: round(cpu),
    },
  ];
}
