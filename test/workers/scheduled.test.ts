import { afterAll, expect, it } from 'vitest';
import { endSessionJob } from '../../shared/core/calls/sessions/jobs.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { readReadiness } from '../../shared/platform/context/readiness.ts';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { WARNINGS } from '../../shared/tables/warnings.ts';
import * as jobs from '../../workers/index.ts';
import { sweepOnce } from '../../workers/sweeper.ts';
import { startWorker } from '../../workers/worker.ts';
import { storesFixture } from '../support/fixture.ts';
import { openTestContext, until } from '../support/harness.ts';

const { ctx, orgId, record } = await storesFixture();
const connection = connectRedis(ctx.config, 'worker');
afterAll(() => connection.disconnect());

const scheduled = Object.values(jobs).filter(({ everyMs }) => everyMs !== undefined);

it('the last twenty runs of every job that repeats are kept, each with what it did', async () => {
  await record({ ts: ctx.clock.now() });
  await rollupRows(ctx).deleteMany({ org_id: orgId });
  await sweepOnce(ctx);
  const workers = scheduled.map((row) => startWorker(row, ctx, connection));
  const results: Record<string, unknown> = {};
  for (const { kind } of scheduled) {
    const queue = ctx.queues.of(kind);
    await until(async () => (await queue.getCompletedCount()) > 0, { what: `a run of ${kind}` });
    const [run] = await queue.getCompleted();
    results[kind] = run?.returnvalue;
    const scheduler = await queue.getJobScheduler(kind);
    expect(scheduler?.template?.opts).toMatchObject({
      removeOnComplete: { count: 20 },
      removeOnFail: { count: 20 },
    });
  }
  await Promise.all(workers.map((worker) => worker.close()));
  expect(results).toMatchObject({
    'make-snapshots': { snapshots: expect.any(Number) },
    'close-months': { months: expect.any(Number) },
    'freeze-analytics': { frozen: expect.any(Number), restated: 0 },
    'reconcile-usage': { wrong: 2, repaired: 2 },
    'reconcile-credits': { accounts: 0, drifted: 0 },
    'expire-credits': { accounts: 0 },
    'expire-held': { expired: 0 },
    'send-digests': { digests: 0 },
    purge: { signals: 0 },
  });
  expect(Object.keys(results)).toHaveLength(9);
});

it('other jobs leave nothing behind', async () => {
  const queue = ctx.queues.of(endSessionJob.kind);
  ctx.queues.wake(endSessionJob, [{ id: 'one', job: { key: 'nobody' }, delayMs: 0 }]);
  await ctx.queues.drained();
  expect(await queue.getJob('one')).toBeDefined();
  const worker = startWorker(jobs.endSession, ctx, connection);
  await until(async () => (await queue.getJob('one')) === undefined, { what: 'the job to be gone' });
  await worker.close();
  expect(await queue.getCompletedCount()).toBe(0);
});

it('a paused queue is a warning until it is resumed', async () => {
  const warnings = async () => (await readReadiness(ctx, WARNINGS)).warnings ?? [];
  expect(await warnings()).not.toContainEqual(expect.stringContaining('Paused'));
  for (const kind of ['deliver-webhook', 'purge']) await ctx.queues.of(kind).pause();
  expect(await warnings()).toContain(
    'Paused in bull-board, so nothing of it is done: deliver-webhook, purge',
  );
  for (const kind of ['deliver-webhook', 'purge']) await ctx.queues.of(kind).resume();
  expect(await warnings()).not.toContainEqual(expect.stringContaining('Paused'));
});

it('a worker that starts puts each schedule as its release has it, and one that runs those that Redis has lost', async () => {
  const intervals = async () =>
    Promise.all(scheduled.map(async ({ kind }) => (await ctx.queues.of(kind).getJobScheduler(kind))?.every));
  const wanted = scheduled.map(({ everyMs }) => everyMs);
  for (const { kind } of scheduled)
    await ctx.queues.of(kind).upsertJobScheduler(kind, { every: 7_777_777 }, { data: {} });
  const started = await openTestContext({ sharing: ctx });
  await sweepOnce(started);
  await started.close();
  expect(await intervals()).toEqual(wanted);
  for (const { kind } of scheduled) await ctx.queues.of(kind).removeJobScheduler(kind);
  expect(await intervals()).toEqual(wanted.map(() => undefined));
  await sweepOnce(ctx);
  expect(await intervals()).toEqual(wanted);
});
