import { fork } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { foldMonths } from '../../shared/core/limits/budgets/count/fold-months.ts';
import { budgetMonthRows, budgetWindowRows } from '../../shared/core/limits/budgets/rules/counted.ts';
import { moveToOtherShard } from '../../shared/platform/mongo/counter-shards.ts';
import { type ProxiedMongo, startProxiedMongo } from '../support/drills/proxied-mongo.ts';
import type { NetProxy } from '../support/drills/proxy.ts';
import { makeSignal, makeTenant, senderOf } from '../support/factories.ts';
import { createTestClock, type TestApi, type TestContext } from '../support/harness.ts';

/** More requests than a run of the retention makes about budgets. */
const MOST_STEPS = 60;
/** The retention runs as a process of its own, so it has the time of this machine. */
const NOW = Date.now();

const clock = createTestClock(NOW);
let ctx: TestContext;
let proxy: NetProxy;
let mongo: ProxiedMongo;
let env: Record<string, string>;
let survivor: TestApi;
beforeAll(async () => {
  mongo = await startProxiedMongo({ clock });
  ({ ctx, survivor, proxy, env } = mongo);
});
afterAll(async () => {
  await mongo.stop();
});

/** Requests about windows and months of budgets, and the commits of their transactions. */
function isStep(chunk: Buffer): boolean {
  return /budget_windows|budget_months|commitTransaction/.test(chunk.toString('latin1'));
}

/** Runs the retention, and kills it at a step that never reaches MongoDB. Returns whether there was such a step. */
async function killAt(step: number): Promise<boolean> {
  let steps = 0;
  const child = fork(new URL('../support/drills/run-retention.ts', import.meta.url), {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  proxy.onRequest = (chunk) => {
    if (!isStep(chunk)) return true;
    steps += 1;
    if (steps === step) child.kill('SIGKILL');
    return steps < step;
  };
  const code = await gone;
  proxy.onRequest = () => true;
  if (steps < step) expect(code, 'a run that nobody kills').toBe(0);
  return steps >= step;
}

/** An organization whose budget counted in the two months that are foldable, in several shards, and in this one. */
async function makeUsed() {
  const { orgId, key } = await makeTenant(ctx);
  const today = new Date(NOW);
  const monthsAgo = (months: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, 10);
  clock.set(monthsAgo(4));
  const body = { name: 'All', scope: 'org', metric: 'signals', threshold: 1_000, window: 'monthly' };
  const made = await survivor.call('/api/v1/budgets', { key, body });
  expect(made.status, made.text).toBe(201);
  for (const atMs of [monthsAgo(4), monthsAgo(3), NOW]) {
    clock.set(atMs);
    for (let index = 0; index < 5; index += 1) {
      moveToOtherShard();
      await recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: atMs })]);
    }
  }
  const path = `/api/v1/budgets/${made.body.id}/windows?limit=12`;
  const windows = async () => (await survivor.call(path, { key })).body.data;
  return { orgId, windows };
}

it('a retention that is killed at any step of a fold leaves each month in its shards or in one row, and the next folds it once', async () => {
  // A first attempt that failed has left some, which the retention would fold too.
  await Promise.all([budgetMonthRows(ctx).deleteMany({}), budgetWindowRows(ctx).deleteMany({})]);
  const { orgId, windows } = await makeUsed();
  const inShards = await budgetWindowRows(ctx).find({ org_id: orgId }).toArray();
  const before = await windows();
  expect(before.map(({ current }: { current: number }) => current).toSorted()).toEqual([5, 5, 5]);
  const countMonths = () => budgetMonthRows(ctx).countDocuments({ org_id: orgId });
  const seen = new Set<number>();
  let step = 0;
  for (let isKilled = true; isKilled; ) {
    step += 1;
    expect(step).toBeLessThan(MOST_STEPS);
    isKilled = await killAt(step);
    seen.add(await countMonths());
    expect(await windows(), `step ${step}`).toEqual(before);
    await foldMonths(ctx, orgId, NOW);
    expect(await countMonths(), `step ${step}`).toBe(2);
    expect(await windows(), `step ${step}`).toEqual(before);
    // The next step begins as this one did.
    await budgetMonthRows(ctx).deleteMany({ org_id: orgId });
    await budgetWindowRows(ctx).deleteMany({ org_id: orgId });
    await budgetWindowRows(ctx).insertMany(inShards);
  }
  expect(step, 'steps were seen').toBeGreaterThan(6);
  expect(seen, 'none, one and both months were folded').toEqual(new Set([0, 1, 2]));
  expect(inShards.length, 'a month lay in several shards').toBeGreaterThan(6);
  console.log(`${step - 1} steps, each of them killed`);
});
