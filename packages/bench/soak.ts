import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { NAMED_EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { findFreePort } from '../stack/ports.ts';
import { cpuSeconds, memoryMib, numberOption, quantile, repeat, report, round } from './bench.ts';
import { makeTokens, spend } from './consume.ts';
import { AS_SCRIPTS_UP, callOf, makeKey, postSignals, readMetrics, type Stage, setStage } from './stage.ts';
import { SECRET, startReceiver } from './webhooks.ts';

const PER_REQUEST = 10;
/** Different users, so that there are sessions that end and usage that grows. */
const USERS = 500;
const ACCOUNTS = 200;
const REST_S = 30;
const SAMPLES = 12;
/** How often the age of the queues is read. */
const AGE_EVERY_MS = 3_000;

/** The work of a time: how long each kind of request took, ms, and the oldest that waited, s. */
interface Span {
  times: Map<string, number[]>;
  failed: number;
  ledgerLagS: number;
  overdueS: number;
}

/**
 * `soak [--minutes 60] [--per-second 50] [--rest 2]`: an hour of signals in tens (so many a second), half as many spends, reads every
 * second and an export twice a minute. Each session is told to an endpoint that answers, to one that answers 500 three times
 * and to one that refuses connections. Shows memory, p99 and the age of the queues at rest, in each twelfth of the time, and
 * in each of so many minutes of rest after it. It stops by itself.
 */
export async function runSoakBench(args: string[]): Promise<void> {
  const minutes = numberOption(args, 'minutes', 60);
  const perSecond = numberOption(args, 'per-second', 50);
  const restMinutes = numberOption(args, 'rest', 2);
  const stage = await setStage(AS_SCRIPTS_UP);
  const { receiver, base } = await startReceiver();
  try {
    await openShards(stage.ctx);
    const api = await stage.startApi();
    const worker = await stage.startWorker();
    const { orgId, key } = await makeKey(stage, { session_timeout: 60 });
    for (const url of [`${base}/ok/soak`, `${base}/third/soak`, `http://127.0.0.1:${await findFreePort()}/`])
      await createWebhook(stage.ctx, orgId, { url, events: [...NAMED_EVENT_TYPES], secret: SECRET });
    const tokens = await makeTokens(stage.ctx, ACCOUNTS);
    const processes = Object.entries({ api, worker, mongo: stage.mongo, redis: stage.redis });
    const pids = processes.map(([, { pid }]) => pid);
    const rows: object[] = [];
    let span = newSpan();
    const sample = (when: string) => {
      const memory = processes.map(([name, { pid }]) => [`${name}_mib`, Math.round(memoryMib(pid, 'VmRSS'))]);
      rows.push({ when, ...Object.fromEntries(memory), ...figuresOf(span) });
      console.error(rows.at(-1));
      span = newSpan();
    };
    await sleep(REST_S * 1_000);
    sample('at rest');
    const cpuBefore = cpuSeconds(pids);
    const untilMs = performance.now() + minutes * 60_000;
    const loading = Promise.all([
      putLoad(api.url, { key, tokens, perSecond, untilMs }, () => span),
      // A look that fails is left out: the next one comes soon.
      repeat(AGE_EVERY_MS, untilMs, () => watchAges(stage, worker.url, span).catch(() => undefined)),
      // The receiver keeps what arrived until it is asked for it.
      repeat(AGE_EVERY_MS, untilMs, async () => {
        receiver.send('take');
      }),
    ]);
    for (let taken = 1; taken <= SAMPLES; taken += 1) {
      await sleep((minutes * 60_000) / SAMPLES);
      sample(`${round((taken * minutes) / SAMPLES, 1)} min`);
    }
    await loading;
    const cpuS = cpuSeconds(pids) - cpuBefore;
    for (let rested = 1; rested <= restMinutes; rested += 1) {
      await sleep(60_000);
      sample(`${rested} min after`);
    }
    report('soak', rows);
    console.log(`CPU of api, worker and stores: ${round((cpuS / (minutes * 60)) * 100, 1)} % of a core`);
  } finally {
    receiver.kill();
    await stage.stop();
  }
}

function newSpan(): Span {
  return { times: new Map(), failed: 0, ledgerLagS: 0, overdueS: 0 };
}

function figuresOf({ times, failed, ledgerLagS, overdueS }: Span): object {
  const figures = [...times].map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return [`${name}_p99_ms`, round(quantile(sorted, 0.99), 0)];
  });
  const requests = [...times.values()].reduce((sum, all) => sum + all.length, 0);
  const ages = { ledger_lag_s: round(ledgerLagS, 1), overdue_s: round(overdueS, 1) };
  return { requests, failed, ...Object.fromEntries(figures), ...ages };
}

interface LoadOptions {
  key: string;
  tokens: readonly string[];
  perSecond: number;
  untilMs: number;
}

/** Resolves when the time is over. A request that takes longer than the pause after it delays those that follow. */
async function putLoad(
  url: string,
  { key, tokens, perSecond, untilMs }: LoadOptions,
  span: () => Span,
): Promise<void> {
  const pool = new Pool(url, { connections: 8 });
  const [posting, spending] = [4, 2];
  const timed = (name: string, work: () => Promise<boolean>) => async () => {
    const beganMs = performance.now();
    const isDone = await work().catch(() => false);
    const { times } = span();
    const known = times.get(name) ?? [];
    times.set(name, known);
    known.push(performance.now() - beganMs);
    if (!isDone) span().failed += 1;
  };
  let sent = 0;
  const post = timed('signals', async () => {
    const first = sent;
    sent += PER_REQUEST;
    const ids = Array.from({ length: PER_REQUEST }, (_, index) => first + index);
    await postSignals(
      pool,
      key,
      ids.map((id) => callOf(`soak-${id}`, `user-${(id * 7) % USERS}`)),
    );
    return true;
  });
  const spendOne = timed('spend', async () => {
    sent += 1;
    return (await spend(pool, tokens[sent % tokens.length] ?? '', `soak-${sent}`)) === 200;
  });
  const read = (name: string, path: string) =>
    timed(name, async () => {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await pool.request({ path, method: 'GET', headers });
      await answer.body.dump();
      return answer.statusCode === 200;
    });
  const clients = (count: number, rate: number, work: () => Promise<void>) =>
    Array.from({ length: count }, () => repeat((count * 1_000) / rate, untilMs, work));
  await Promise.all([
    ...clients(posting, perSecond / PER_REQUEST, post),
    ...clients(spending, perSecond / 2, spendOne),
    repeat(1_000, untilMs, read('sessions', '/api/v1/sessions')),
    repeat(1_000, untilMs, read('usage', '/api/v1/usage?interval=day&group_by=user_id')),
    repeat(30_000, untilMs, read('export', '/api/v1/usage/export?level=sessions&format=csv')),
  ]);
  await pool.close();
}

/** The age of the oldest spend that the ledger lacks, and the lateness of the row that is due for longest. */
async function watchAges(stage: Stage, workerUrl: string, span: Span): Promise<void> {
  const read = await readMetrics(stage, workerUrl);
  const oldest = await dueRows(stage.ctx).findOne({}, { sort: { due_at: 1 } });
  const overdueMs = oldest ? stage.ctx.clock.now() - oldest.due_at.getTime() : 0;
  span.ledgerLagS = Math.max(span.ledgerLagS, read('governor_ledger_lag_seconds'));
  span.overdueS = Math.max(span.overdueS, overdueMs / 1_000);
}
