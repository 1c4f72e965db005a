import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createApiKey } from '../../shared/keys/api-keys.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { cpuSeconds, numberOption, report, residentMb, round, type Stage, setStage } from './bench.ts';

const CLIENTS = 8;
const PER_REQUEST = 10;
/** Different users, so that there are sessions that end and usage that grows. */
const USERS = 500;
const REST_S = 30;
const SAMPLES = 12;

/** What the load came to. */
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
  const sample = (when: string) => {
    rows.push({ when, ...load, ...memoryOf(stage) });
    console.error(rows.at(-1));
  };
  try {
    const url = await stage.startApi();
    stage.startWorker();
    const key = await makeKey(stage);
    await sleep(REST_S * 1_000);
    sample('at rest');
    const pids = Object.values(stage.pids());
    const cpuBefore = cpuSeconds(pids);
    const loading = putLoad(url, key, { minutes, perSecond }, load);
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

async function makeKey({ ctx }: Stage): Promise<string> {
  const { _id } = await createOrganization(ctx, { name: 'bench', plan: 'team', session_timeout: 60 });
  return (await createApiKey(ctx, { org_id: _id, scopes: [...SCOPES] })).key;
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
      await postSignals(pool, key, index, posted, load);
      if (posted % 50 === 0) await readSome(pool, key, load);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  await pool.close();
}

function memoryOf(stage: Stage) {
  const { api = 0, worker = 0, mongo = 0, redis = 0 } = stage.pids();
  return {
    api_mb: residentMb(api),
    worker_mb: residentMb(worker),
    mongo_mb: residentMb(mongo),
    redis_mb: residentMb(redis),
  };
}

async function postSignals(
  pool: Pool,
  key: string,
  client: number,
  posted: number,
  load: Load,
): Promise<void> {
  const ts = new Date().toISOString();
  const list = Array.from({ length: PER_REQUEST }, (_, index) => {
    const user_id = `user-${(client * 61 + posted * PER_REQUEST + index) % USERS}`;
    const id = `soak-${client}-${posted}-${index}`;
    return { id, ts, adapter: 'bench', user_id, model: 'gpt-4o-mini', tokens_in: 100, tokens_out: 10 };
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ signals: list });
  const answer = await pool.request({ path: '/api/v1/signals', method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode === 200) load.signals += PER_REQUEST;
  else load.refused += 1;
}

async function readSome(pool: Pool, key: string, load: Load): Promise<void> {
  for (const path of ['/api/v1/sessions', '/api/v1/usage?interval=day&group_by=user_id']) {
    const answer = await pool.request({ path, method: 'GET', headers: { authorization: `Bearer ${key}` } });
    await answer.body.dump();
    if (answer.statusCode !== 200) load.refused += 1;
  }
}
