import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { cpuSeconds, memoryMib, numberOption, report, round } from './bench.ts';
import { callOf, makeKey, postSignals, setStage } from './stage.ts';

const CLIENTS = 8;
const PER_REQUEST = 10;
/** Different users, so that there are sessions that end and usage that grows. */
const USERS = 500;
const REST_S = 30;
const SAMPLES = 12;

/** The signals that the load sent. */
interface Load {
  signals: number;
  refused: number;
}

/**
 * `soak [--minutes 60] [--per-second N]`: memory of the api and the worker at rest, under a load of signals and reads, and
 * after it. It stops by itself. With `--per-second` no more signals than that are posted; else as many as get through.
 */
export async function runSoakBench(args: string[]): Promise<void> {
  const minutes = numberOption(args, 'minutes', 60);
  const perSecond = numberOption(args, 'per-second', Number.POSITIVE_INFINITY);
  const stage = await setStage();
  const rows: Record<string, unknown>[] = [];
  const load: Load = { signals: 0, refused: 0 };
  try {
    const api = await stage.startApi();
    const worker = await stage.startWorker();
    const processes = Object.entries({ api, worker, mongo: stage.mongo, redis: stage.redis });
    const sample = (when: string) => {
      const memory = processes.map(([name, { pid }]) => [`${name}_mib`, Math.round(memoryMib(pid, 'VmRSS'))]);
      rows.push({ when, ...load, ...Object.fromEntries(memory) });
      console.error(rows.at(-1));
    };
    const { key } = await makeKey(stage, { session_timeout: 60 });
    await sleep(REST_S * 1_000);
    sample('at rest');
    const pids = processes.map(([, { pid }]) => pid);
    const cpuBefore = cpuSeconds(pids);
    const loading = putLoad(api.url, key, { minutes, perSecond }, load);
    for (let taken = 1; taken <= SAMPLES; taken += 1) {
      await sleep((minutes * 60_000) / SAMPLES);
      sample(`after ${round((taken * minutes) / SAMPLES, 1)} min of load`);
    }
    await loading;
    const cpuS = cpuSeconds(pids) - cpuBefore;
    await sleep(REST_S * 1_000);
    sample(`${REST_S} s after the load`);
    const rate = round(load.signals / (minutes * 60), 0);
    report('soak', [...rows, { when: 'signals/s', signals: rate }]);
    console.log(`CPU of all processes per signal: ${round((cpuS / load.signals) * 1_000)} ms`);
  } finally {
    await stage.stop();
  }
}

/** Resolves after that many minutes; counts into `load`. Each client posts one request after the other. */
async function putLoad(
  url: string,
  key: string,
  { minutes, perSecond }: { minutes: number; perSecond: number },
  load: Load,
): Promise<void> {
  const pool = new Pool(url, { connections: CLIENTS });
  const startMs = performance.now();
  const untilMs = startMs + minutes * 60_000;
  const gapMs = (CLIENTS * PER_REQUEST * 1_000) / perSecond;
  const client = async (index: number): Promise<void> => {
    const firstMs = startMs + (gapMs * index) / CLIENTS;
    for (let posted = 0; performance.now() < untilMs; posted += 1) {
      await sleep(Math.max(0, firstMs + posted * gapMs - performance.now()));
      await postSome(pool, key, signalsOf(index, posted), load);
      if (posted % 50 === 0) await readSome(pool, key, load);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  await pool.close();
}

function signalsOf(client: number, posted: number): object[] {
  return Array.from({ length: PER_REQUEST }, (_, index) =>
    callOf(
      `soak-${client}-${posted}-${index}`,
      `user-${(client * 61 + posted * PER_REQUEST + index) % USERS}`,
    ),
  );
}

async function postSome(pool: Pool, key: string, signals: object[], load: Load): Promise<void> {
  try {
    await postSignals(pool, key, signals);
    load.signals += signals.length;
  } catch {
    load.refused += 1;
  }
}

async function readSome(pool: Pool, key: string, load: Load): Promise<void> {
  for (const path of ['/api/v1/sessions', '/api/v1/usage?interval=day&group_by=user_id']) {
    const answer = await pool.request({ path, method: 'GET', headers: { authorization: `Bearer ${key}` } });
    await answer.body.dump();
    if (answer.statusCode !== 200) load.refused += 1;
  }
}
