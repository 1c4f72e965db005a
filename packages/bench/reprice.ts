import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { ask, askJson, numberOption, onStage, percentiles, type Row, report, round } from './bench.ts';
import { callOf, makeKey, postSignals, type Stage } from './stage.ts';

const USERS = 300;
const PER_BATCH = 1_000;
const DAY_MS = 86_400_000;
/** Calls spread over so many days. */
const DAYS = 30;
/** How often the other organization posts, and asks for its usage. Milliseconds. */
const EVERY_MS = 20;
const QUIET_S = 10;
const RULE = {
  name: 'Ours',
  from: '2020-01-01',
  match: { provider: 'vllm' },
  usd_per_million: { input: 0.2, output: 0.6 },
};

/**
 * `reprice [--signals 100000] [--budgets 10]`: recorded calls without a price get one by a rule, beside another organization that posts
 * signals and asks for its usage. An api and a worker of their own.
 */
export async function runRepriceBench(args: string[]): Promise<void> {
  const signals = numberOption(args, 'signals', 100_000);
  const rows: Row[] = [];
  await onStage(async (stage) => {
    const [{ url }] = [await stage.startApi(), await stage.startWorker()];
    const { orgId, key } = await makeKey(stage);
    await addBudgets(stage, orgId, numberOption(args, 'budgets', 10));
    await seed(new Pool(url), key, signals);
    await askJson(`${url}/api/v1/price-rules`, key, RULE);
    const beside = startBeside(url, (await makeKey(stage)).key);
    await sleep(QUIET_S * 1_000);
    rows.push({ what: 'nothing', ...beside.take() });
    const to = systemClock.now();
    const range = { from: new Date(to - DAYS * DAY_MS).toISOString(), to: new Date(to).toISOString() };
    const previewed = performance.now();
    const { id, changed } = await askJson(`${url}/api/v1/repricings`, key, range);
    rows.push(rowOf('preview', signals, previewed, beside.take()));
    if (changed !== signals) throw new Error(`${changed} of ${signals} calls would change`);
    const begun = performance.now();
    await askJson(`${url}/api/v1/repricings/${id}/apply`, key, {});
    rows.push(rowOf('comparison', signals, begun, beside.take()));
    const applying = performance.now();
    while ((await askJson(`${url}/api/v1/repricings/${id}`, key)).state !== 'applied') await sleep(100);
    rows.push(rowOf('applying', signals, applying, beside.take()));
    await beside.stop();
    await expectPriced(stage, orgId, signals);
  });
  report('reprice', rows);
}

function rowOf(what: string, signals: number, beganMs: number, beside: Row): Row {
  const seconds = (performance.now() - beganMs) / 1_000;
  return { what, seconds: round(seconds), 'calls/s': Math.round(signals / seconds), ...beside };
}

/** Budgets of all calls and of single users, daily and monthly in turns. */
async function addBudgets({ ctx }: Stage, orgId: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const scope =
      at % 4 < 2 ? ({ scope: 'org' } as const) : ({ scope: 'user', scope_id: `user-${at}` } as const);
    const window = at % 2 === 0 ? 'daily' : 'monthly';
    const fields = { name: `b${at}`, metric: 'cost_usd', threshold: 1e6 } as const;
    await createBudget(ctx, orgId, { ...fields, ...scope, window });
  }
}

/** Calls of a model without a price, spread over the users and the days, oldest first. */
async function seed(pool: Pool, key: string, signals: number): Promise<void> {
  const nowMs = systemClock.now();
  for (let first = 0; first < signals; first += PER_BATCH) {
    const count = Math.min(PER_BATCH, signals - first);
    const batch = Array.from({ length: count }, (_, at) => {
      const index = first + at;
      // Each user has some calls in a row, as people do.
      const user = Math.floor(index / 10) % USERS;
      const ts = nowMs - DAYS * DAY_MS + 60_000 + Math.floor((index / signals) * (DAYS * DAY_MS - 120_000));
      return {
        ...callOf(`call-${index}`, `user-${user}`),
        ts: new Date(ts).toISOString(),
        project_id: `project-${user % 7}`,
        model: 'llama-4-70b',
        provider: 'vllm',
        tokens_in: 1_000 + (index % 5_000),
        tokens_out: index % 700,
      };
    });
    const results = await postSignals(pool, key, batch);
    if (results.some(({ status }) => status !== 'accepted')) throw new Error('Not all were accepted');
  }
  console.error(`${signals} signals are there`);
}

/** Another organization that posts one signal and asks for its usage again and again. */
function startBeside(url: string, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let [posts, reads]: [number[], number[]] = [[], []];
  let made = 0;
  let isStopped = false;
  const loop = async (times: () => number[], work: () => Promise<unknown>) => {
    while (!isStopped) {
      const began = performance.now();
      await work();
      times().push(performance.now() - began);
      await sleep(EVERY_MS);
    }
  };
  const signal = () => JSON.stringify({ signals: [callOf(`beside-${made++}`, `user-${made % 20}`)] });
  const running = Promise.all([
    loop(
      () => posts,
      () => ask(agent, `${url}/api/v1/signals`, key, signal()),
    ),
    loop(
      () => reads,
      () => ask(agent, `${url}/api/v1/usage?group_by=model`, key),
    ),
  ]);
  return {
    /** The waits since the last time. */
    take: (): Row => {
      const [a, b] = [percentiles(posts), percentiles(reads)];
      [posts, reads] = [[], []];
      return { 'post p50': a.p50_ms, 'post p99': a.p99_ms, 'usage p50': b.p50_ms, 'usage p99': b.p99_ms };
    },
    stop: async () => {
      isStopped = true;
      await running;
      agent.destroy();
    },
  };
}

async function expectPriced({ ctx }: Stage, org_id: string, signals: number): Promise<void> {
  const priced = await signalRows(ctx).countDocuments({ org_id, cost_source: 'rule' });
  if (priced !== signals) throw new Error(`${priced} of ${signals} calls have the price of the rule`);
}
