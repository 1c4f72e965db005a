import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBudget } from '../../shared/budgets/change-budgets.ts';
import { evaluateDue } from '../../shared/budgets/evaluate-due.ts';
import { holdAllGates } from '../../shared/budgets/gate.ts';
import { firingKey } from '../../shared/budgets/keys.ts';
import { BUDGET_METRICS, BUDGET_WINDOWS, type Budget } from '../../shared/budgets/model.ts';
import { periodAt } from '../../shared/budgets/periods.ts';
import { readConfig } from '../../shared/config.ts';
import { type Context, openContext } from '../../shared/context.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { createIndexes, inTransaction, raw } from '../../shared/mongo.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { connectRedis } from '../../shared/redis/connect.ts';
import { recordSignals } from '../../shared/signals/record-signals.ts';
import { evaluateBudgets } from '../../workers/evaluate-budgets.ts';
import { type JobHandler, startWorker } from '../../workers/worker.ts';
import { findFreePort } from '../stack/ports.ts';
import { startMongo, startRedis } from '../stores.ts';

interface Figures {
  signals: number;
  budgets: number;
  latency_p50_ms: number;
  latency_p99_ms: number;
  evaluation_p50_ms: number;
  evaluation_p99_ms: number;
}

const SIZES = [10, 100, 1_000];
const SMALL = 10_000;

/** `evaluate [--signals 1000000] [--rounds 60]`: from an accepted signal to the event row, and one evaluation. */
export async function runEvaluateBench(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      signals: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '60' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-bench-'));
  const [redis, mongo] = await Promise.all([
    startRedis({ port: await findFreePort(), dir: join(folder, 'redis') }),
    startMongo({ port: await findFreePort(), dir: join(folder, 'mongo') }),
  ]);
  const ctx = await openContext(readConfig(environment(redis.url, mongo.url)), {
    process: 'cli',
    log: createLog({ level: 'silent', process: 'bench' }),
  });
  try {
    await createIndexes(ctx.db);
    const figures: Figures[] = [];
    for (const signals of [SMALL, Number(values.signals)])
      figures.push(...(await measure(ctx, signals, Number(values.rounds))));
    console.table(figures);
    console.log(JSON.stringify({ bench: 'evaluate', figures }));
  } finally {
    await ctx.close();
    await Promise.all([redis.stop(), mongo.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function environment(redisUrl: string, mongoUrl: string): Record<string, string> {
  const secret = () => randomBytes(32).toString('base64');
  return {
    NODE_ENV: 'development',
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    OPERATOR_TOKEN: secret(),
    API_KEY_PEPPER: secret(),
    CURSOR_SECRET: secret(),
    WEBHOOK_SECRET_KEYS: `k1:${secret()}`,
  };
}

async function measure(ctx: Context, signals: number, rounds: number): Promise<Figures[]> {
  const { _id: orgId } = await createOrganization(ctx, { name: 'Bench', plan: 'team' });
  await seed(ctx, orgId, signals);
  const probe = await createBudget(ctx, orgId, {
    name: 'probe',
    scope: 'org',
    metric: 'signals',
    threshold: 1,
    window: 'monthly',
  });
  const figures: Figures[] = [];
  for (const budgets of SIZES) {
    await growTo(ctx, probe, budgets);
    const latencies = await measureLatency(ctx, probe, rounds);
    const evaluations = await measureEvaluation(ctx, orgId, rounds);
    figures.push({
      signals,
      budgets,
      latency_p50_ms: percentile(latencies, 50),
      latency_p99_ms: percentile(latencies, 99),
      evaluation_p50_ms: percentile(evaluations, 50),
      evaluation_p99_ms: percentile(evaluations, 99),
    });
  }
  return figures;
}

const BATCH = 1_000;
const USERS = 200;

/** Signals of the running month. */
async function seed(ctx: Context, orgId: string, count: number): Promise<void> {
  const nowMs = ctx.clock.now();
  const { startMs } = periodAt('monthly', 'UTC', nowMs);
  for (let from = 0; from < count; from += BATCH) {
    const atMs = startMs + ((nowMs - startMs) * from) / count;
    await post(ctx, orgId, BATCH, Math.floor(atMs), from);
  }
}

async function post(ctx: Context, orgId: string, count: number, atMs: number, from: number): Promise<void> {
  const signals = Array.from({ length: count }, (_, index) => ({
    id: newId('evt'),
    ts: new Date(atMs).toISOString(),
    user_id: `user-${(from + index) % USERS}`,
    project_id: `project-${((from + index) % USERS) % 10}`,
    adapter: 'bench',
    model: 'gpt-4o-mini',
    tokens_in: 1_000,
    tokens_out: 100,
    cost_usd: 0.000_21,
  }));
  await recordSignals(ctx, { orgId, boundUserId: null, defaultProjectId: null }, signals);
}

/** Budgets over every metric and window; half of them match each signal, the others its user or project. */
async function growTo(ctx: Context, probe: Budget, count: number): Promise<void> {
  const { org_id } = probe;
  const missing = count - (await ctx.db.budgets.countDocuments({ org_id }));
  const budgets = Array.from({ length: missing }, (_, index): Budget => {
    const scope = (['org', 'user', 'org', 'project'] as const)[index % 4] ?? 'org';
    const scope_id = { org: org_id, user: `user-${index % USERS}`, project: `project-${index % 10}` }[scope];
    const metric = BUDGET_METRICS[index % BUDGET_METRICS.length] ?? 'signals';
    const window = BUDGET_WINDOWS[(index >> 2) % BUDGET_WINDOWS.length] ?? 'monthly';
    const shape = { scope, scope_id, metric, window, limit: 1e15, name: `b${index}` };
    return { ...probe, ...shape, _id: newId('bud') };
  });
  // Straight into the collection: a thousand recounts of a month are not what is measured here.
  await inTransaction(ctx.db, async (transaction) => {
    await raw(ctx.db.budgets).insertMany(budgets, { session: transaction });
    await holdAllGates(ctx, org_id, transaction);
  });
}

/** From the answer to a signal until the event's row is there, through the queue and a worker. */
async function measureLatency(ctx: Context, probe: Budget, rounds: number): Promise<number[]> {
  const connection = connectRedis(ctx.config, 'worker');
  const worker = startWorker(evaluateBudgets as unknown as JobHandler, ctx, connection);
  const { startMs } = periodAt(probe.window, probe.timezone, ctx.clock.now());
  const latencies: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await wait(Math.random() * 250);
    // Another revision, so that the level fires again.
    await raw(ctx.db.budgets).updateOne({ _id: probe._id }, { $inc: { revision: 1 } });
    const revision = (await ctx.db.budgets.findById(probe._id).lean())?.revision ?? 0;
    await post(ctx, probe.org_id, 1, ctx.clock.now(), round);
    const accepted = performance.now();
    const firing = firingKey({ _id: probe._id, revision }, startMs, 'exceeded');
    while (!(await raw(ctx.db.budgetFirings).findOne({ _id: firing }))) await wait(2);
    latencies.push(performance.now() - accepted);
  }
  await worker.close();
  connection.disconnect();
  return latencies;
}

/** One evaluation of all budgets after one signal, without the queue. */
async function measureEvaluation(ctx: Context, orgId: string, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await post(ctx, orgId, 1, ctx.clock.now(), round);
    const began = performance.now();
    await evaluateDue(ctx, orgId);
    times.push(performance.now() - began);
  }
  return times;
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
  return Math.round(value * 10) / 10;
}
