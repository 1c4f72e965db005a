import { Pool } from 'undici';
import type { Context } from '../../shared/platform/context/context.ts';
import { numberOption, quantile, report, round, runClients } from './bench.ts';
import { insertBudgets, makeBudget, makeTemplate } from './budgets.ts';
import { measureChanges } from './check-changes.ts';
import { measureOutages } from './check-outage.ts';
import { startFloor } from './consume.ts';
import { makeKey, setStage } from './stage.ts';

/** Budgets of an organization. */
const SIZES = [1, 100, 5_000];
const USERS = 500;
/** People of one template, who have all used something. */
const PEOPLE = [300, 5_000];
/** The runs take turns, so that what else the machine does in the meantime meets each of them. */
const ROUNDS = 4;
const WARM_UP_S = 2;

interface Run {
  run: string;
  url: string;
  path: string;
  key: string;
  /** A call of the gate has headers instead. */
  body: ((turn: number) => object) | null;
  headers?: (turn: number) => Record<string, string>;
  times: number[];
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
  const stage = await setStage();
  try {
    const { url } = await stage.startApi();
    if (args.includes('--changes')) {
      const other = await stage.startApi();
      await stage.startWorker();
      return report('check-changes', await measureChanges(stage, [url, other.url]));
    }
    const runs = [floorRun((await startFloor(stage)).url)];
    for (const size of SIZES) {
      const key = await makeOrganization(stage.ctx, size);
      runs.push(...budgetRuns(url, { name: String(size), users: USERS, key }));
      if (size === 1) runs.push(gateRun(url, key));
    }
    for (const people of PEOPLE) {
      const { orgId, key } = await makeKey(stage);
      await makeTemplate(stage.ctx, orgId, people);
      runs.push(...budgetRuns(url, { name: `template of ${people}`, users: people, key }));
    }
    for (const run of runs) await drive({ ...run, times: [] }, clients, WARM_UP_S);
    for (let turn = 0; turn < ROUNDS; turn += 1)
      for (const run of runs) await drive(run, clients, seconds / ROUNDS);
    report('check', tableOf(runs));
    report('check-outage', await measureOutages(stage, url, runs[1]?.key ?? ''));
  } finally {
    await stage.stop();
  }
}

const JSON_BODY = { 'content-type': 'application/json' };

const measured = () => ({ times: [], seconds: 0, refused: 0 });

function floorRun(url: string): Run {
  const body = () => ({ output_sha256: 'ab'.repeat(32) });
  return { run: 'floor', url, path: '/v1/meter/consume', key: '', body, ...measured() };
}

function budgetRuns(url: string, { name, users, key }: { name: string; users: number; key: string }): Run[] {
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
function gateRun(url: string, key: string): Run {
  const headers = (turn: number) => ({
    'x-governor-user': `user-${turn % USERS}`,
    'x-governor-estimate-usd': '0.01',
    'x-governor-ttl-s': '1',
  });
  return { run: 'gate, 1', url, path: '/gate', key, body: null, headers, ...measured() };
}

/** A hard budget of the organization, the others of its users. Returns a key. */
async function makeOrganization(ctx: Context, size: number): Promise<string> {
  const { orgId: org_id, key } = await makeKey({ ctx });
  const budgets = Array.from({ length: size }, (_, index) => {
    const whose = index === 0 ? { scope: 'org' as const, scope_id: org_id } : ofUser(index);
    return makeBudget(ctx, org_id, { name: `budget ${index}`, ...whose });
  });
  await insertBudgets(ctx, org_id, budgets);
  return key;
}

function ofUser(index: number) {
  return { scope: 'user' as const, scope_id: `user-${index % USERS}` };
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

function tableOf(runs: readonly Run[]): Record<string, unknown>[] {
  const figures = runs.map(({ run, times, seconds, refused }) => {
    const sorted = times.toSorted((a, b) => a - b);
    const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
    return { run, rps: times.length / seconds, p50, p99, refused };
  });
  const [floor] = figures;
  return figures.map(({ run, rps, p50, p99, refused }) => ({
    run,
    rps: Math.round(rps),
    of_floor: round(rps / (floor?.rps ?? 1)),
    p50_ms: round(p50, 1),
    p99_ms: round(p99, 1),
    p99_of_floor: round(p99 / (floor?.p99 ?? 1)),
    refused,
  }));
}
