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

/**
 * `soak [--minutes 60]`: memory of the api and the worker at rest, under a load of signals and reads, and after it. It
 * stops by itself.
 */
export async function runSoakBench(args: string[]): Promise<void> {
  const minutes = numberOption(args, 'minutes', 60);
  const stage = await setStage();
  const rows: Record<string, unknown>[] = [];
  let signals = 0;
  const sample = (when: string) => {
    rows.push({ when, signals, ...memoryOf(stage) });
    console.error(rows.at(-1));
  };
  try {
    const url = await stage.startApi();
    stage.startWorker();
    const { _id } = await createOrganization(stage.ctx, {
      name: 'bench',
      plan: 'team',
      session_timeout: 60,
    });
    const { key } = await createApiKey(stage.ctx, { org_id: _id, scopes: [...SCOPES] });
    await sleep(REST_S * 1_000);
    sample('at rest');
    const pool = new Pool(url, { connections: CLIENTS });
    const untilMs = performance.now() + minutes * 60_000;
    const cpuBefore = cpuSeconds(Object.values(stage.pids()));
    const client = async (index: number): Promise<void> => {
      for (let round = 0; performance.now() < untilMs; round += 1) {
        signals += await postSignals(pool, key, index, round);
        if (round % 50 === 0) await readSome(pool, key);
      }
    };
    const load = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
    for (let taken = 1; taken <= SAMPLES; taken += 1) {
      await sleep((minutes * 60_000) / SAMPLES);
      sample(`after ${round((taken * minutes) / SAMPLES, 1)} min of load`);
    }
    await load;
    const cpuS = cpuSeconds(Object.values(stage.pids())) - cpuBefore;
    await pool.close();
    await sleep(REST_S * 1_000);
    sample(`${REST_S} s after the load`);
    report('soak', [
      ...rows,
      { when: 'signals/s', signals: round(signals / (minutes * 60), 0), api_mb: '', worker_mb: '' },
    ]);
    console.log(`CPU of all processes per signal: ${round((cpuS / signals) * 1_000)} ms`);
  } finally {
    await stage.stop();
  }
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

async function postSignals(pool: Pool, key: string, client: number, round: number): Promise<number> {
  const ts = new Date().toISOString();
  const list = Array.from({ length: PER_REQUEST }, (_, index) => {
    const user_id = `user-${(client * 61 + round * PER_REQUEST + index) % USERS}`;
    const id = `soak-${client}-${round}-${index}`;
    return { id, ts, adapter: 'bench', user_id, model: 'gpt-4o-mini', tokens_in: 100, tokens_out: 10 };
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ signals: list });
  const answer = await pool.request({ path: '/api/v1/signals', method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`Signals were answered with ${answer.statusCode}`);
  return PER_REQUEST;
}

async function readSome(pool: Pool, key: string): Promise<void> {
  for (const path of ['/api/v1/sessions', '/api/v1/usage?interval=day&group_by=user_id']) {
    const answer = await pool.request({ path, method: 'GET', headers: { authorization: `Bearer ${key}` } });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.statusCode}`);
  }
}
