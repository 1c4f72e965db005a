import { parentPort, workerData } from 'node:worker_threads';

/** The requests that one organization repeats, in a thread of its own so that its work delays no measurement. */
export interface Noise {
  url: string;
  key: string;
  /** `signals` posts batches of 1,000; `usage` asks for the widest answer. */
  kind: 'signals' | 'usage';
  /** Users of the batches; null: every signal has a new one. */
  users: number | null;
  models: number;
  clients: number;
}

/** How often each status was answered. */
export type NoiseStatuses = Record<string, number>;

const BATCH = 1_000;
const noise = workerData as Noise;
const statuses: NoiseStatuses = {};
const run = Date.now().toString(36);
let made = 0;
let isStopped = false;

function signal() {
  made += 1;
  const user = noise.users === null ? `${run}-${made}` : `user-${made % noise.users}`;
  return {
    id: `${run}-${made}`,
    ts: new Date().toISOString(),
    user_id: user,
    adapter: 'noise',
    model: `model-${Math.floor(made / 10) % noise.models}`,
    tokens_in: 100,
    tokens_out: 10,
  };
}

async function send(): Promise<void> {
  const headers = { Authorization: `Bearer ${noise.key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ signals: Array.from({ length: BATCH }, signal) });
  const response =
    noise.kind === 'signals'
      ? await fetch(`${noise.url}/api/v1/signals`, { method: 'POST', headers, body })
      : await fetch(`${noise.url}/api/v1/usage?group_by=user_id,model`, { headers });
  await response.arrayBuffer();
  statuses[response.status] = (statuses[response.status] ?? 0) + 1;
}

async function client(): Promise<void> {
  while (!isStopped) await send();
}

parentPort?.once('message', () => {
  isStopped = true;
});
await Promise.all(Array.from({ length: noise.clients }, client));
parentPort?.postMessage(statuses);
