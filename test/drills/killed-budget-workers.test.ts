import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../scripts/stack/ports.ts';
import { type RunningStore, startRedis } from '../../scripts/stores.ts';
import { createBudget } from '../../shared/budgets/change-budgets.ts';
import { readConfig } from '../../shared/config.ts';
import { type Context, openContext } from '../../shared/context.ts';
import { createLog } from '../../shared/log.ts';
import { createIndexes } from '../../shared/mongo.ts';
import { recordSignals } from '../../shared/signals/record-signals.ts';
import { makeSignal, makeTenant } from '../factories.ts';
import { testEnv, until } from '../harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'usage-governor-drill-'));
let redis: RunningStore;
let ctx: Context;
let env: Record<string, string>;
let worker: ChildProcess | undefined;
beforeAll(async () => {
  // A Redis of its own: the workers are whole processes, on the queues that production has.
  redis = await startRedis({ port: await findFreePort(), dir: folder, fast: true });
  env = testEnv(`drill${process.pid}`, { redisUrl: redis.url, env: { WORKER_PORT: '0', LOG_LEVEL: 'info' } });
  ctx = await openContext(readConfig(env), {
    process: 'test',
    log: createLog({ level: 'silent', process: 'test' }),
  });
  await createIndexes(ctx.db);
});
afterAll(async () => {
  if (worker) await kill(worker);
  await ctx.db.connection.dropDatabase();
  await ctx.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startWorkerProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['workers/main.ts'], {
    env: { ...env, PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await until(() => output.includes('worker runs'), { timeoutMs: 20_000, what: 'the worker' });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('50 parallel batches while workers are killed: each level fires once', {
  timeout: 120_000,
}, async () => {
  const { orgId } = await makeTenant(ctx);
  const thresholds = [10, 40, 80, 125, 250, 10_000];
  for (const threshold of thresholds)
    await createBudget(ctx, orgId, {
      name: `${threshold}`,
      scope: 'org',
      metric: 'signals',
      threshold,
      window: 'monthly',
    });
  const sender = { orgId, boundUserId: null, defaultProjectId: null };
  const posting = async (batch: number) => {
    const signals = Array.from({ length: 5 }, () =>
      makeSignal({ ts: ctx.clock.now(), user_id: `user-${batch % 9}` }),
    );
    await recordSignals(ctx, sender, signals);
  };
  worker = await startWorkerProcess();
  for (let round = 0; round < 5; round += 1) {
    const batches = Promise.all(Array.from({ length: 10 }, (_, index) => posting(round * 10 + index)));
    // Dies while it evaluates, before it, or after: as it comes.
    await until(async () => (await ctx.queues.byName['evaluate-budgets'].getJobCounts()).active !== 0, {
      timeoutMs: 500,
    }).catch(() => undefined);
    await kill(worker);
    await batches;
    worker = await startWorkerProcess();
  }
  const wanted = 5 * 2;
  const events = () => ctx.db.events.find({ org_id: orgId, type: /^budget\./ }).lean();
  await until(async () => (await events()).length >= wanted, { timeoutMs: 30_000, what: 'all events' });
  await until(async () => (await ctx.db.budgetDues.countDocuments({ org_id: orgId })) === 0, {
    timeoutMs: 30_000,
    what: 'nothing left to evaluate',
  });
  const fired = (await events()).map(({ type, data }) => [data.budget_name, type].join(' '));
  expect(fired.toSorted()).toEqual(
    thresholds
      .slice(0, 5)
      .flatMap((threshold) => [`${threshold} budget.exceeded`, `${threshold} budget.warning`])
      .toSorted(),
  );
});
