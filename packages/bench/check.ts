import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Context } from '../../shared/platform/context/context.ts';
import {
  cpuSeconds,
  numberOption,
  onStage,
  percentiles,
  type Row,
  report,
  round,
  runClients,
} from './bench.ts';
import { insertBudgets, makeBudget, makeTemplate } from './budgets.ts';
import { measureChanges } from './check-changes.ts';
import { measureOutages } from './check-outage.ts';
import { startFloor } from './consume.ts';
import { makeKey } from './stage.ts';

/** Budgets of an organization: one of its own, the others of so many users. A call counts in 2 of the third and in 11 of the last. */
const SHAPES = [
  { name: '1', size: 1, users: 500 },
  { name: '100', size: 100, users: 500 },
  { name: '5000', size: 5_000, users: 5_000 },
  { name: '5000, 11 a call', size: 5_000, users: 500 },
];
/** People of one template, who have all used something. */
const PEOPLE = [300, 5_000];
/** The runs take turns, so that what else the machine does in the meantime meets each of them. */
const ROUNDS = 3;
const WARM_UP_S = 2;
/** Until reservations of a second have ended and are forgotten. */
const LEFT_OVER_MS = 1_500;

interface Run {
  run: string;
  url: string;
  path: string;
  key: string;
  /** A call of the gate has headers instead. */
  body: ((turn: number) => object) | null;
  headers?: (turn: number) => Record<string, string>;
  times: number[];
  /** CPU of all processes. */
  cpuS: number;
  seconds: number;
  refused: number;
}

/**
 * `check [--seconds 8] [--clients 32]`: checks and reservations beside the floor server, in turns of one run; then checks
 * while a store is frozen. `--changes`: only how long changes of budgets take until two apis decide by them.
 */
export async function runCheckBench(args: string[]): Promise<void> {
  const seconds = Math.min(60, numberOption(args, 'seconds', 8));
  const clients = Math.min(256, numberOption(args, 'clients', 32));
  await onStage(async (stage) => {
    const { url, pid } = await stage.startApi();
    if (args.includes('--changes')) {
      const other = await stage.startApi();
      await stage.startWorker();
      return report('check-changes', await measureChanges(stage, [url, other.url]));
    }
    const floor = await startFloor(stage);
    const runs = [floorRun(floor.url)];
    const used = () => cpuSeconds([pid, floor.pid, stage.redis.pid, stage.mongo.pid, process.pid]);
    for (const shape of SHAPES) {
      const key = await makeOrganization(stage.ctx, shape);
      runs.push(...budgetRuns(url, { ...shape, key }));
      if (shape.size === 1) runs.push(gateRun(url, { ...shape, key }));
    }
    for (const people of PEOPLE) {
      const { orgId, key } = await makeKey(stage);
      await makeTemplate(stage.ctx, orgId, people);
      runs.push(...budgetRuns(url, { name: `template of ${people}`, users: people, key }));
    }
    for (const run of runs) await drive({ ...run, times: [] }, clients, WARM_UP_S);
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      for (const run of runs) {
        const before = used();
        await drive(run, clients, seconds / ROUNDS);
        // The reservations of a run end in its own time, and not in that of the next one.
        if (!run.path.endsWith('/check')) await sleep(LEFT_OVER_MS);
        run.cpuS += used() - before;
      }
    }
    report('check', tableOf(runs));
    report('check-outage', await measureOutages(stage, url, runs[1]?.key ?? ''));
  });
}

const JSON_BODY = { 'content-type': 'application/json' };

const measured = () => ({ times: [], cpuS: 0, seconds: 0, refused: 0 });

function floorRun(url: string): Run {
  const body = () => ({ output_sha256: 'ab'.repeat(32) });
  return { run: 'floor', url, path: '/v1/meter/consume', key: '', body, ...measured() };
}

interface Shape {
  name: string;
  users: number;
}

function budgetRuns(url: string, { name, users, key }: Shape & { key: string }): Run[] {
  const call = (turn: number) => ({ user_id: `user-${turn % users}`, estimate_usd: 0.01 });
  const path = (verb: string) => `/api/v1/budgets/${verb}`;
  return [
    { run: `check, ${name}`, url, path: path('check'), key, body: call, ...measured() },
    {
      run: `reserve, ${name}`,
      url,
      path: path('reserve'),
      key,
      // So short that as many end as begin.
      body: (turn) => ({ ...call(turn), ttl_s: 1 }),
      ...measured(),
    },
  ];
}

/** The same reservations, asked for at the gate. */
function gateRun(url: string, { name, users, key }: Shape & { key: string }): Run {
  const headers = (turn: number) => ({
    'x-governor-user': `user-${turn % users}`,
    'x-governor-estimate-usd': '0.01',
    'x-governor-ttl-s': '1',
  });
  return { run: `gate, ${name}`, url, path: '/gate', key, body: null, headers, ...measured() };
}

/** A hard budget of the organization, the others of its users. Returns a key. */
async function makeOrganization(ctx: Context, { size, users }: (typeof SHAPES)[number]): Promise<string> {
  const { orgId: org_id, key } = await makeKey({ ctx });
  const budgets = Array.from({ length: size }, (_, index) => {
    const whose =
      index === 0
        ? { scope: 'org' as const, scope_id: org_id }
        : { scope: 'user' as const, scope_id: `user-${index % users}` };
    return makeBudget(ctx, org_id, { name: `budget ${index}`, ...whose });
  });
  await insertBudgets(ctx, org_id, budgets);
  return key;
}

async function drive(run: Run, clients: number, seconds: number): Promise<void> {
  const pool = new Pool(run.url, { connections: clients, pipelining: 1 });
  const authorization = `Bearer ${run.key}`;
  let turn = 0;
  const driven = await runClients(clients, seconds, async () => {
    turn += 1;
    const { path, body } = run;
    const { statusCode, body: answer } = await pool.request({
      path,
      headers: { authorization, ...(body ? JSON_BODY : {}), ...run.headers?.(turn) },
      ...(body ? { method: 'POST', body: JSON.stringify(body(turn)) } : { method: 'GET' }),
    });
    const text = await answer.text();
    if (statusCode !== 200 || text.includes('"allow":false')) run.refused += 1;
  });
  await pool.close();
  run.times.push(...driven.times);
  run.seconds += driven.seconds;
}

function tableOf(runs: readonly Run[]): Row[] {
  const figures = runs.map(({ run, times, cpuS, seconds, refused }) => {
    const [rps, cpuUs] = [times.length / seconds, (cpuS / times.length) * 1e6];
    return { run, rps, cpuUs, waits: percentiles(times, 1), refused };
  });
  const [floor] = figures;
  return figures.map(({ run, rps, cpuUs, waits, refused }) => ({
    run,
    rps: Math.round(rps),
    of_floor: round(rps / (floor?.rps ?? 1)),
    // Steadier than rps on a machine that others use too.
    cpu_us: Math.round(cpuUs),
    ...waits,
    p99_of_floor: round(waits.p99_ms / (floor?.waits.p99_ms ?? 1)),
    refused,
  }));
}
