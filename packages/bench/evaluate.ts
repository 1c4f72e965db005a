import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import type { Organization } from '../../shared/core/accounts/organizations/model.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { checkSignal, type Draft } from '../../shared/core/calls/signals/check-signal.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { addRow } from '../../shared/core/calls/usage/measures.ts';
import { type Rollup, rollupRows } from '../../shared/core/calls/usage/model.ts';
import { rollupChanges } from '../../shared/core/calls/usage/plan-rollups.ts';
import { createWebhook } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { changeBudget, createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { calendarWindowAt } from '../../shared/core/limits/budgets/rules/calendar-windows.ts';
import { budgetFiringRows } from '../../shared/core/limits/budgets/rules/fired.ts';
import { firingKey } from '../../shared/core/limits/budgets/rules/keys.ts';
import {
  BUDGET_METRICS,
  type Budget,
  budgetRows,
  CALENDAR_WINDOWS,
} from '../../shared/core/limits/budgets/rules/model.ts';
import { windowAt } from '../../shared/core/limits/budgets/rules/windows.ts';
import type { BudgetStatus } from '../../shared/core/limits/enforcement/state/budget-status.ts';
import { refreshStatuses } from '../../shared/core/limits/enforcement/state/refresh-status.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { evaluateBudgets } from '../../workers/index.ts';
import { startWorker } from '../../workers/worker.ts';
import { cpuSeconds, numberOption, onStage, percentiles, type Row, report, round, timed } from './bench.ts';
import { insertBudgets, makeTemplate } from './budgets.ts';
import { measureRecording } from './record.ts';
import type { Stage } from './stage.ts';

const SIZES = [10, 100, 1_000];
const SMALL = 10_000;

/**
 * `evaluate [--signals 1000000] [--rounds 60]`: from an accepted signal to the event row, and one evaluation. `--people 300,5000`:
 * the same with a template of so many people each, and nothing else. `--recording [--seconds 2]`: signals beside a template.
 */
export async function runEvaluateBench(args: string[]): Promise<void> {
  const most = numberOption(args, 'signals', 1_000_000);
  const rounds = numberOption(args, 'rounds', 60);
  const sizes = peopleOf(args);
  await onStage(async (stage) => {
    if (args.includes('--recording'))
      return report('evaluate', await measureRecording(stage, numberOption(args, 'seconds', 2)));
    if (sizes.length > 0) {
      const rows: Row[] = [];
      for (const people of sizes) rows.push(await measurePeople(stage, people, rounds));
      return report('evaluate', rows);
    }
    const figures: Row[] = [];
    for (const signals of [SMALL, most]) figures.push(...(await measure(stage.ctx, signals, rounds)));
    report('evaluate', figures);
  });
}

/** The numbers of people of `--people`; 300 and 5,000 without any. */
function peopleOf(args: readonly string[]): number[] {
  const at = args.indexOf('--people');
  if (at === -1) return [];
  const named = args[at + 1];
  return named === undefined || named.startsWith('--') ? [300, 5_000] : named.split(',').map(Number);
}

async function measurePeople(stage: Stage, people: number, rounds: number): Promise<Row> {
  const { ctx } = stage;
  const { _id: orgId } = await createOrganization(ctx, { name: 'Bench', plan: 'team' });
  await subscribe(ctx, orgId);
  // Each person's second call reaches it.
  const template = await makeTemplate(ctx, orgId, people, { metric: 'signals', limit: 2 });
  await evaluateDue(ctx, orgId);
  const latencies = await measureLatency(ctx, rounds, async (turn) => {
    await post(ctx, orgId, { index: turn, user: `user-${turn}` });
    const reached = { budget_id: template._id, user_id: `user-${turn}`, level: 'exceeded' as const };
    return async () => (await budgetFiringRows(ctx).findOne(reached)) !== null;
  });
  const evaluations = await measureEvaluation(ctx, orgId, rounds);
  // After a change of the rules an evaluation looks at everybody.
  const everybody = await measureEvaluation(ctx, orgId, rounds, async (turn) => {
    await changeBudget(ctx, orgId, template._id, { name: `each ${turn}` });
  });
  return {
    people,
    ...(await measureRefreshes(stage, orgId, people, rounds)),
    ...waitsOf('latency', latencies),
    ...waitsOf('evaluation', evaluations),
    ...waitsOf('everybody', everybody),
  };
}

function waitsOf(name: string, times: readonly number[]): Row {
  const { p50_ms, p99_ms } = percentiles(times, 1);
  return { [`${name}_p50_ms`]: p50_ms, [`${name}_p99_ms`]: p99_ms };
}

const REFRESHES_PER_S = 2.5;
const SIGNALS_PER_S = 50;
/** One by itself is less than what else a heap holds. */
const COPIES = 10;

/** Memory of a process that decides by the template, and CPU of a core that its refreshes take beside signals. */
async function measureRefreshes(
  { ctx, mongo }: Stage,
  orgId: string,
  people: number,
  rounds: number,
): Promise<Row> {
  const refresh = async (known: BudgetStatus | null) =>
    (await refreshStatuses(ctx, new Map([[orgId, known]]))).get(orgId) ?? null;
  let known = await refresh(null);
  const before = heapAfterGc();
  const copies: unknown[] = [];
  while (copies.length < COPIES) copies.push(await refresh(null));
  const kib = (heapAfterGc() - before) / 1_024 / copies.length;
  let [ownMs, storeS] = [0, 0];
  for (let turn = 0; turn < rounds; turn += 1) {
    for (let index = 0; index < SIGNALS_PER_S / REFRESHES_PER_S; index += 1)
      await post(ctx, orgId, { index, user: `user-${(turn * 20 + index) % people}` });
    const [own, store] = [process.cpuUsage(), cpuSeconds([mongo.pid])];
    known = await refresh(known);
    const { user, system } = process.cpuUsage(own);
    ownMs += (user + system) / 1_000;
    storeS += cpuSeconds([mongo.pid]) - store;
  }
  const pctOf = (ms: number) => round(((ms / rounds) * REFRESHES_PER_S) / 10);
  return {
    kib_per_person: round(kib / people),
    refresh_pct: pctOf(ownMs),
    refresh_and_store_pct: pctOf(ownMs + storeS * 1_000),
  };
}

function heapAfterGc(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Somebody who is told, so that events and their deliveries are written. Nothing sends them here. */
async function subscribe(ctx: Context, orgId: string): Promise<void> {
  const url = 'http://127.0.0.1:9/';
  await createWebhook(ctx, orgId, { url, events: ['budget.warning', 'budget.exceeded'] });
}

async function measure(ctx: Context, signals: number, rounds: number): Promise<Row[]> {
  const organization = await createOrganization(ctx, { name: 'Bench', plan: 'team' });
  const orgId = organization._id;
  const began = performance.now();
  await seed(ctx, organization, signals);
  console.log(`${signals} signals in ${Math.round((performance.now() - began) / 1_000)} s`);
  await subscribe(ctx, orgId);
  const probe = await createBudget(ctx, orgId, {
    name: 'probe',
    scope: 'org',
    metric: 'signals',
    threshold: 1,
    window: 'monthly',
  });
  const figures: Row[] = [];
  for (const budgets of SIZES) {
    await growTo(ctx, probe, budgets);
    const latencies = await measureLatency(ctx, rounds, (turn) => postToProbe(ctx, probe, turn));
    const evaluations = await measureEvaluation(ctx, orgId, rounds);
    const row = { signals, budgets, ...waitsOf('latency', latencies), ...waitsOf('evaluation', evaluations) };
    console.error(row);
    figures.push(row);
  }
  return figures;
}

const BATCH = 5_000;
const USERS = 200;

/**
 * Signals of the running month with their rollups, straight into the collections: an evaluation reads neither, and
 * what must not cost it anything has to be there.
 */
async function seed(ctx: Context, organization: Organization, count: number): Promise<void> {
  const nowMs = ctx.clock.now();
  const { startMs } = calendarWindowAt('monthly', 'UTC', nowMs);
  const rollups = new Map<string, Rollup>();
  let next = 0;
  const insert = async () => {
    while (next < count) {
      const from = next;
      next += BATCH;
      const drafts = Array.from({ length: Math.min(BATCH, count - from) }, (_, offset) => {
        const atMs = startMs + ((nowMs - startMs) * (from + offset)) / count;
        return draftAt(organization._id, from + offset, Math.floor(atMs), nowMs);
      });
      const rows = drafts.map((draft) => ({ ...draft, session_id: `ses_${draft.user_id}` }));
      await signalRows(ctx).insertMany(rows, { ordered: false });
      for (const change of rollupChanges(organization, drafts, [])) addRow(rollups, change);
    }
  };
  await Promise.all([insert(), insert(), insert()]);
  await rollupRows(ctx).insertMany([...rollups.values()], { ordered: false });
}

function draftAt(orgId: string, index: number, atMs: number, nowMs: number): Draft {
  const sender = { orgId, boundUserId: null, defaultProjectId: null };
  return checkSignal(signalAt(`seed-${index}`, index, atMs), sender, nowMs) as Draft;
}

function signalAt(id: string, index: number, atMs: number): Record<string, unknown> {
  return {
    id,
    ts: new Date(atMs).toISOString(),
    user_id: `user-${index % USERS}`,
    project_id: `project-${(index % USERS) % 10}`,
    adapter: 'bench',
    model: 'gpt-4o-mini',
    tokens_in: 1_000,
    tokens_out: 100,
    cost_usd: 0.000_21,
  };
}

async function post(
  ctx: Context,
  orgId: string,
  { index, user }: { index: number; user?: string },
): Promise<void> {
  const signal = signalAt(newId('evt'), index, ctx.clock.now());
  if (user !== undefined) signal.user_id = user;
  await recordSignals(ctx, { orgId, boundUserId: null, defaultProjectId: null }, [signal]);
}

/** Budgets over every metric and window; half of them match each signal, the others its user or project. */
async function growTo(ctx: Context, probe: Budget, count: number): Promise<void> {
  const { org_id } = probe;
  const missing = count - (await budgetRows(ctx).countDocuments({ org_id }));
  const budgets = Array.from({ length: missing }, (_, index): Budget => {
    const scope = (['org', 'user', 'org', 'project'] as const)[index % 4] ?? 'org';
    const scope_id = { org: org_id, user: `user-${index % USERS}`, project: `project-${index % 10}` }[scope];
    const metric = BUDGET_METRICS[index % BUDGET_METRICS.length] ?? 'signals';
    const window = CALENDAR_WINDOWS[(index >> 2) % CALENDAR_WINDOWS.length] ?? 'monthly';
    const shape = { scope, scope_id, metric, window, limit: 1e15, name: `b${index}` };
    return { ...probe, ...shape, _id: newId('bud') };
  });
  await insertBudgets(ctx, org_id, budgets);
}

/** From the answer to a signal until its event's row is there, through the queue and a worker. `send` returns that question. */
async function measureLatency(
  ctx: Context,
  rounds: number,
  send: (turn: number) => Promise<() => Promise<boolean>>,
): Promise<number[]> {
  const connection = connectRedis(ctx.config, 'worker');
  const worker = startWorker(evaluateBudgets, ctx, connection);
  const latencies: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    await wait(Math.random() * 250);
    const isThere = await send(turn);
    const accepted = performance.now();
    while (!(await isThere())) await wait(2);
    latencies.push(performance.now() - accepted);
  }
  await worker.close();
  connection.disconnect();
  return latencies;
}

/** Lets the level of the probe fire again, posts a signal, and returns the question for its event. */
async function postToProbe(ctx: Context, probe: Budget, turn: number): Promise<() => Promise<boolean>> {
  await budgetRows(ctx).updateOne({ _id: probe._id }, { $inc: { revision: 1 } });
  const revision = (await budgetRows(ctx).findOne({ _id: probe._id }))?.revision ?? 0;
  await post(ctx, probe.org_id, { index: turn });
  const { startMs } = windowAt(probe, ctx.clock.now());
  const _id = firingKey({ _id: probe._id, revision }, startMs, 'exceeded', 0);
  return async () => (await budgetFiringRows(ctx).findOne({ _id })) !== null;
}

/** One evaluation of all budgets after one signal, without the queue. */
async function measureEvaluation(
  ctx: Context,
  orgId: string,
  rounds: number,
  before: (turn: number) => Promise<void> = async () => undefined,
): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    await before(turn);
    await post(ctx, orgId, { index: turn });
    times.push(await timed(() => evaluateDue(ctx, orgId)));
  }
  return times;
}
