import { Pool } from 'undici';
import { eventRows } from '../../shared/core/events/record/model.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { collection } from '../../shared/platform/mongo/collection.ts';
import { DURABLE } from '../../shared/platform/mongo/connect.ts';
import { percentiles, round } from './bench.ts';
import { begin, PUBLISH_PHASES } from './webhook-publish.ts';
import {
  type Bench,
  type Figures,
  makeOrgs,
  type Phase,
  publish,
  runWebhooksBench,
  sleepUntil,
  takeArrivals,
  untilRecorded,
} from './webhooks.ts';

const PER_SECOND = 20;
const SLOT_MS = 1_000 / PER_SECOND;
/** Signals before anything is timed. */
const WARM_UP = 200;

/** The row of a hop: as long as an event. */
const hopRows = collection<{ _id: string; padding: string }>('bench_hops', {
  about: 'A row that is as long as an event.',
  fields: { _id: String, padding: String },
});
const HOP = { padding: 'x'.repeat(500) };

const PHASES: Record<string, Phase> = {
  arrival: (bench) => arrival(bench, 0, 30),
  arrival20: (bench) => arrival(bench, 20, 60),
  arrival200: (bench) => arrival(bench, 200, 60),
};

/** The bench of webhooks with the phases of this file and of publishing through the API. */
export async function runAllWebhooksBench(args: string[]): Promise<void> {
  await runWebhooksBench(args, { ...PHASES, ...PUBLISH_PHASES });
}

/** When a signal was sent and answered, wall time. */
interface Sent {
  sentMs: number;
  answeredMs: number;
}

/**
 * One signal of a new user per twentieth of a second through the API, until its `session.started` arrives. In turns with it:
 * a ping of MongoDB, and a bare hop (one durable insert, then one POST to the same receiver). `hung` endpoints that never
 * answer get as many events beside it.
 */
async function arrival(bench: Bench, hung: number, seconds: number): Promise<Figures[]> {
  const { orgId, post, stop } = await begin(bench, 1);
  const hanging = hung === 0 ? [] : await makeOrgs(bench, hung, (index) => `/hang/${index}`);
  const receiver = new Pool(bench.base, { connections: 1 });
  for (let index = 0; index < WARM_UP; index += 1) {
    await post();
    await hop(bench, receiver);
  }
  await untilRecorded(bench, [orgId]);
  await takeArrivals(bench);
  const sent = new Map<string, Sent>();
  const [hops, pings]: [number[], number[]] = [[], []];
  const beganMs = performance.now();
  for (let index = 0; index < seconds * PER_SECOND; index += 1) {
    await sleepUntil(beganMs + index * SLOT_MS);
    const { sessionId, ...times } = await post();
    sent.set(sessionId, times);
    await sleepUntil(beganMs + (index + 0.5) * SLOT_MS);
    if (index % 2 === 0) hops.push(await hop(bench, receiver));
    else pings.push(await ping(bench));
    // At a moment of its own: this process, which times the POST, is not busy with it then.
    await sleepUntil(beganMs + (index + 0.75) * SLOT_MS);
    const neighbour = hanging[index % hanging.length];
    if (neighbour) void publish(bench, neighbour).catch(() => undefined);
  }
  await untilRecorded(bench, [orgId]);
  const rows = await arrivalsOf(bench, orgId, sent);
  await receiver.close();
  // Attempts at those that hang would hold up the end of the worker.
  void stop();
  return [figuresOf(hung, rows, { hops, pings })];
}

interface Row {
  postMs: number;
  arrivalMs: number;
}

/** By session, how long its POST took and when its event arrived after it was sent. */
async function arrivalsOf(bench: Bench, orgId: string, sent: ReadonlyMap<string, Sent>): Promise<Row[]> {
  const arrivedMs = new Map((await takeArrivals(bench)).map(({ id, atMs }) => [id, atMs]));
  const events = await eventRows(bench.ctx).find({ org_id: orgId, type: 'session.started' }).toArray();
  return events.flatMap(({ _id, body }) => {
    const { data } = JSON.parse(body) as { data: { id: string } };
    const times = sent.get(data.id);
    if (!times) return [];
    const arrivalMs = (arrivedMs.get(_id) ?? Number.NaN) - times.sentMs;
    return [{ postMs: times.answeredMs - times.sentMs, arrivalMs }];
  });
}

function figuresOf(hung: number, rows: readonly Row[], beside: { hops: number[]; pings: number[] }): Figures {
  const [p50, p99] = ['p50_ms', 'p99_ms'] as const;
  const post = percentiles(rows.map(({ postMs }) => postMs));
  const whole = percentiles(rows.map(({ arrivalMs }) => arrivalMs));
  const rest = percentiles(rows.map(({ arrivalMs }) => arrivalMs - post[p50]));
  const bare = percentiles(beside.hops);
  return {
    phase: 'arrival',
    hung,
    signals: rows.length,
    post: `${post[p50]} / ${post[p99]}`,
    arrival: `${whole[p50]} / ${whole[p99]}`,
    less_post: `${rest[p50]} / ${rest[p99]}`,
    hop: `${bare[p50]} / ${bare[p99]}`,
    ping: String(percentiles(beside.pings)[p50]),
    arrival_in_hops: round(whole[p50] / bare[p50]),
    less_post_in_hops: `${round(rest[p50] / bare[p50])} / ${round(rest[p99] / bare[p99])}`,
  };
}

async function hop(bench: Bench, receiver: Pool): Promise<number> {
  const beganMs = performance.now();
  await hopRows(bench.ctx).insertOne({ _id: newId('evt'), ...HOP }, { writeConcern: DURABLE });
  const answer = await receiver.request({ path: '/ok/hop', method: 'POST', body: JSON.stringify(HOP) });
  await answer.body.dump();
  return performance.now() - beganMs;
}

async function ping(bench: Bench): Promise<number> {
  const beganMs = performance.now();
  await bench.ctx.db.database.command({ ping: 1 });
  return performance.now() - beganMs;
}
