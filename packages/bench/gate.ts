import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../stack/ports.ts';
import { startRedis } from '../stack/stores.ts';
import { waitUntil } from '../stack/wait.ts';
import { numberOption } from './bench.ts';
import { type Model, startModel } from './gate/model.ts';
import { LIMIT_USD, type Outcome, spendLimit } from './gate/spend.ts';
import { type Gateway, startLiteLlm, startOwnGateway } from './gate/start-gateways.ts';
import { makeKey, type Running, type Stage, setStage, untilAnswered } from './stage.ts';

/** After so long what a killed gateway had in flight is free again. Seconds. */
const TTL_S = 20;
/** LiteLLM writes what was spent to Redis each second. Milliseconds. */
const LITELLM_SETTLES_MS = 3_000;

type Kill = Outcome & { part: 'gateway' | 'governor' | 'redis' };

/**
 * Keeps a limit of $1 at a gateway while clients ask for more than that at once: LiteLLM with our hook beside LiteLLM with its own
 * budget of a provider, then ours with kill -9 of the gateway, the service and Redis. `--calls N`, `--litellm BIN` (without it a
 * gateway of this benchmark asks `/gate`), `--no-kills`.
 */
export async function runGateBench(args: string[]): Promise<void> {
  const calls = numberOption(args, 'calls', 200);
  const at = args.indexOf('--litellm');
  const bin = at === -1 ? null : (args[at + 1] ?? null);
  const stage = await setStage();
  const model = await startModel();
  try {
    const drill = await prepare(stage, model, bin);
    const ours = await drill.run(calls);
    const kills: Kill[] = [];
    if (!args.includes('--no-kills'))
      for (const part of ['gateway', 'governor', 'redis'] as const)
        kills.push({ part, ...(await drill.run(calls, part)) });
    await drill.stop();
    const litellm = bin === null ? null : await runLiteLlm(stage, model, bin, calls);
    print({ bin, ours, litellm, kills: args.includes('--no-kills') ? null : kills });
  } finally {
    model.close();
    await stage.stop();
  }
}

interface Drill {
  /** Spends a new budget of $1, and kills a part meanwhile. */
  run(calls: number, part?: Kill['part']): Promise<Outcome>;
  stop(): Promise<void>;
}

async function prepare(stage: Stage, model: Model, bin: string | null): Promise<Drill> {
  const { key } = await makeKey(stage);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  let redis = stage.redis;
  let api = await startApi(stage, port);
  const governed = { api: url, key, ttlS: TTL_S };
  const folder = join(stage.folder, 'gateway');
  const gateway: Gateway = bin
    ? await startLiteLlm(bin, folder, model.url, governed)
    : await startOwnGateway(folder, model.url, governed);
  const parts: Record<Kill['part'], () => Promise<void>> = {
    gateway: () => gateway.killAndStart(),
    governor: async () => {
      await api.end('SIGKILL');
      api = await startApi(stage, port);
    },
    redis: async () => {
      const ended = redis.child.exitCode === null;
      if (ended) redis.child.kill('SIGKILL');
      const { port: redisPort } = new URL(redis.url);
      redis = await startRedis({ port: Number(redisPort), dir: join(stage.folder, 'redis') });
    },
  };
  return {
    run: async (calls, part) => {
      const budget = await makeBudget(url, key);
      const settled = () => untilSettled(url, key, budget);
      const kill = part ? { kill: parts[part] } : {};
      const outcome = await spendLimit({ gateway, model, calls, settled, ...kill });
      await request(`${url}/api/v1/budgets/${budget}`, key, { method: 'DELETE' });
      return outcome;
    },
    stop: async () => {
      await gateway.stop();
      await redis.stop();
    },
  };
}

async function startApi(stage: Stage, port: number): Promise<Running> {
  const api = stage.start(['api/main.ts'], { PORT: String(port) });
  await untilAnswered(`http://127.0.0.1:${port}/readyz`);
  return api;
}

async function request(url: string, key: string, options: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url, { ...options, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** A budget that leaves $1 of what was used so far. */
async function makeBudget(url: string, key: string): Promise<string> {
  const { totals } = await request(`${url}/api/v1/usage`, key);
  const threshold = totals.cost_usd + LIMIT_USD;
  const rule = { name: 'Gate', scope: 'org', metric: 'cost_usd', window: 'monthly', enforce: 'hard' };
  const body = JSON.stringify({ ...rule, threshold });
  return (await request(`${url}/api/v1/budgets`, key, { method: 'POST', body })).id;
}

/** Waits until nothing is reserved any more: each call was reported, or its reservation has ended. */
async function untilSettled(url: string, key: string, budget: string): Promise<void> {
  const isSettled = async () => {
    const view = await request(`${url}/api/v1/budgets/${budget}`, key).catch(() => null);
    return view?.reserved === 0;
  };
  if (!(await waitUntil(isSettled, { timeoutMs: 120_000 }))) throw new Error('Reservations do not end.');
  await sleep(500);
}

async function runLiteLlm(stage: Stage, model: Model, bin: string, calls: number): Promise<Outcome> {
  const redis = await startRedis({ port: await findFreePort(), dir: join(stage.folder, 'litellm-redis') });
  const folder = join(stage.folder, 'litellm');
  const gateway = await startLiteLlm(bin, folder, model.url, { redisUrl: redis.url });
  const settled = () => sleep(LITELLM_SETTLES_MS);
  const outcome = await spendLimit({ gateway, model, calls, settled });
  await gateway.stop();
  await redis.stop();
  return outcome;
}

/** A table for people, then one line of JSON for machines. */
function print({ bin, ours, litellm, kills }: Result): void {
  const named = [{ of: 'usage-governor', ...ours }, ...(litellm ? [{ of: 'LiteLLM', ...litellm }] : [])];
  const killed = (kills ?? []).map(({ part, ...outcome }) => ({
    of: `ours, kill -9 of ${part}`,
    ...outcome,
  }));
  console.table([...named, ...killed]);
  const version =
    bin && spawnSync(bin, ['--version'], { encoding: 'utf8' }).stdout.match(/\d+\.\d+\.\d+/)?.[0];
  console.log(
    `Node ${process.version}, ${version ? `LiteLLM ${version}` : 'no LiteLLM: a gateway of this benchmark'}`,
  );
  console.log(JSON.stringify({ ours, litellm, kills }));
}

interface Result {
  bin: string | null;
  ours: Outcome;
  litellm: Outcome | null;
  kills: Kill[] | null;
}
