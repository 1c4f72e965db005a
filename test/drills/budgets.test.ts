import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startRedis } from '../../packages/stack/stores.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { createLog } from '../../shared/platform/basics/log.ts';
import { type Context, openContext } from '../../shared/platform/context/context.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import {
  startTransactionGuard,
  type TransactionGuard,
} from '../../shared/platform/mongo/transaction-guard.ts';
import { createIndexes } from '../../shared/tables/collections.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { type Child, killChild, startChild } from '../support/drills/child.ts';
import { type OwnMongo, startOwnMongo } from '../support/drills/own-mongo.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { makeSignal, makeTenant, senderOf } from '../support/factories.ts';
import { call, testEnv, until } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'usage-governor-drill-'));
let redis: RunningStore;
let own: OwnMongo;
let proxy: NetProxy;
let guard: TransactionGuard;
let ctx: Context;
let env: Record<string, string>;
const workers: ChildProcess[] = [];
const apis: Child[] = [];
beforeAll(async () => {
  // A Redis of its own: the workers are whole processes, on the queues that production has.
  redis = await startRedis({ port: await findFreePort(), dir: folder, fast: true });
  own = await startOwnMongo();
  proxy = await startProxy(Number(new URL(own.url).port));
  env = testEnv(`drill${process.pid}`, {
    mongoUrl: own.url,
    redisUrl: redis.url,
    env: { WORKER_PORT: '0', LOG_LEVEL: 'info' },
  });
  ctx = await openContext(readConfig(env), {
    process: 'test',
    wings: WINGS,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  await createIndexes(ctx.db);
  guard = await startTransactionGuard(ctx.db, ctx.log, 2_000);
});
afterEach(async () => {
  proxy.onRequest = () => true;
  await Promise.all(workers.splice(0).map(killChild));
  await Promise.all(apis.splice(0).map((api) => api.kill()));
});
afterAll(async () => {
  await guard?.stop();
  await ctx?.close();
  await proxy?.close();
  await own?.stop();
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startWorkerProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['workers/main.ts'], {
    env: { ...env, MONGODB_URL: proxiedMongoUrl(), PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  workers.push(child);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await until(() => output.includes('worker runs'), { what: 'the worker' });
  return child;
}

/** The driver would find the store's own address in the replica set and pass the proxy by. */
function proxiedMongoUrl(): string {
  const url = new URL(env.MONGODB_URL ?? '');
  url.port = String(proxy.port);
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  return url.href;
}

const THRESHOLDS = [10, 40, 80, 125, 250, 10_000];

/** Budgets of which 250 signals exceed all but the last, in an organization that is told of it. */
async function makeBudgets(orgId: string): Promise<void> {
  await subscribeToAll(ctx, orgId);
  for (const threshold of THRESHOLDS)
    await createBudget(ctx, orgId, {
      name: `${threshold}`,
      scope: 'org',
      metric: 'signals',
      threshold,
      window: 'monthly',
    });
}

function makeBatch(batch: number): Record<string, unknown>[] {
  return Array.from({ length: 5 }, () => makeSignal({ ts: ctx.clock.now(), user_id: `user-${batch % 9}` }));
}

/** Both levels of every budget that was exceeded, each once, and nothing is left to evaluate. */
async function expectEachLevelOnce(orgId: string): Promise<void> {
  const wanted = THRESHOLDS.slice(0, 5).flatMap((threshold) => [
    `${threshold} budget.exceeded`,
    `${threshold} budget.warning`,
  ]);
  const events = async () => (await readEvents(ctx, orgId)).filter(({ type }) => type.startsWith('budget.'));
  await until(async () => (await events()).length >= wanted.length, {
    what: 'all events',
  });
  await until(
    async () => (await dueRows(ctx).countDocuments({ kind: 'evaluate-budgets', org_id: orgId })) === 0,
    {
      what: 'nothing left to evaluate',
    },
  );
  const fired = (await events()).map(({ type, data }) => [data.budget_name, type].join(' '));
  expect(fired.toSorted()).toEqual(wanted.toSorted());
}

test('50 parallel batches over two apis: each level fires once, and no signal is missed', async () => {
  const { orgId, key } = await makeTenant(ctx);
  await makeBudgets(orgId);
  await startWorkerProcess();
  apis.push(await startChild('api/main.ts', env), await startChild('api/main.ts', env));
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, batch) => {
      const api = apis[batch % apis.length] as Child;
      const { status } = await call(`${api.url}/api/v1/signals`, {
        key,
        body: { signals: makeBatch(batch) },
      });
      return status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  await expectEachLevelOnce(orgId);
  const counted = await Promise.all(apis.map((api) => call(`${api.url}/api/v1/budgets`, { key })));
  for (const { body } of counted)
    expect(body.data.map(({ current }: { current: number }) => current)).toEqual(THRESHOLDS.map(() => 250));
});

/** The steps of an evaluation in MongoDB: it claims the due rows, reads windows, writes the levels, and commits. */
const STEP = /budget_windows|budget_evaluations|commitTransaction/;
const STEPS = 4;

/** Kills a worker as it takes a step of an evaluation, which never arrives. Resolves when that has happened. */
function killedAt(step: number, child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let steps = 0;
  proxy.onRequest = (chunk) => {
    if (!STEP.test(chunk.toString('latin1'))) return true;
    steps += 1;
    if (steps === step) void killChild(child).then(resolve);
    return steps < step;
  };
  return promise;
}

test('50 parallel batches while workers are killed at each step of an evaluation: each level fires once', async () => {
  const { orgId } = await makeTenant(ctx);
  await makeBudgets(orgId);
  const posting = (batch: number) => recordSignals(ctx, senderOf(orgId), makeBatch(batch));
  const postTen = (round: number) =>
    Promise.all(Array.from({ length: 10 }, (_, index) => posting(round * 10 + index)));
  for (let step = 1; step <= STEPS; step += 1) {
    const killed = killedAt(step, await startWorkerProcess());
    await postTen(step);
    await killed;
    proxy.onRequest = () => true;
  }
  await startWorkerProcess();
  await postTen(0);
  await expectEachLevelOnce(orgId);
});
