import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { afterAll, expect, it } from 'vitest';
import { job } from '../../shared/platform/queues/job.ts';
import { connectQueues } from '../../shared/platform/redis/connect.ts';
import { deliverWebhook } from '../../workers/index.ts';
import { type JobRow, jobRow } from '../../workers/job-row.ts';
import { jobSeconds } from '../../workers/metrics.ts';
import { startWorker } from '../../workers/worker.ts';
import { makeTenant } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeWebhook, raise, readDelivery } from '../support/webhooks.ts';

const { ctx } = await storesFixture();
const connection = connectQueues(ctx.config, 'worker');
afterAll(() => connection.disconnect());

it('an endpoint that answers after 6 s gets each request once, though a lock lasts 5 s', async () => {
  const receiver = await startReceiver({ status: 200, afterMs: 6_000 });
  const workers = [1, 2].map(() => startWorker(deliverWebhook, ctx, connection));
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  const { orgId } = await makeTenant(ctx);
  await makeWebhook(ctx, orgId, receiver.url);
  const events = await raise(ctx, orgId, 3);
  const areSent = async () => {
    const deliveries = await Promise.all(events.map((id) => readDelivery(ctx, id)));
    return deliveries.every(({ status }) => status === 'succeeded');
  };
  await until(areSent, { timeoutMs: 20_000, what: 'all to be recorded' });
  await Promise.all(workers.map((worker) => worker.close()));
  expect(receiver.received.map(({ event }) => event.id).toSorted()).toEqual(events.toSorted());
  await receiver.close();
});

/** A worker of a kind of its own, for as many jobs at once as there are. */
const startFor = (kind: string, handle: () => Promise<undefined>, concurrency = Number.POSITIVE_INFINITY) =>
  startWorker({ kind, concurrency, handle }, ctx, connection);

/** Takes the lock of a job that runs, as a process does that stood still for longer than its locks last. */
async function loseLock(kind: string, id: string): Promise<void> {
  const lost = await connection.del(`${ctx.queues.prefixOf(kind)}:${kind}:${id}:lock`);
  expect(lost).toBe(1);
}

it('waits at its end for a job that it took twice, since the lock of the first run was lost', async () => {
  const kind = 'test-taken-twice';
  const first = Promise.withResolvers<undefined>();
  const second = Promise.withResolvers<undefined>();
  let [begun, ended] = [0, 0];
  const handle = async () => {
    begun += 1;
    await (begun === 1 ? first.promise : second.promise);
    ended += 1;
    return undefined;
  };
  const worker = startFor(kind, handle);
  await ctx.queues.of(kind).add(kind, {}, { jobId: 'a' });
  await until(async () => begun === 1, { what: 'the first run to begin' });
  await loseLock(kind, 'a');
  await until(async () => begun === 2, { what: 'the second run to begin' });
  first.resolve(undefined);
  await until(async () => ended === 1, { what: 'the first run to end' });
  setTimeout(() => second.resolve(undefined), 300);
  await worker.close();
  expect(ended).toBe(2);
});

it('waits at its end for a job that comes meanwhile', async () => {
  const kind = 'test-comes-meanwhile';
  for (let round = 0; round < 24; round += 1) {
    let running = 0;
    const handle = async () => {
      running += 1;
      await wait(30);
      running -= 1;
      return undefined;
    };
    const worker = startFor(kind, handle);
    await worker.waitUntilReady();
    await wait(20);
    const added = ctx.queues.of(kind).add(kind, {}, { jobId: `job-${round}` });
    // Somewhere between its arrival in Redis and its first line.
    await wait((round % 8) / 2);
    await worker.close();
    expect(running).toBe(0);
    await added;
  }
});

it('counts a run once whose end cannot be told to Redis', async () => {
  const kind = 'test-end-untold';
  let runs = 0;
  const handle = async () => {
    runs += 1;
    if (runs === 1) await loseLock(kind, 'b');
    return undefined;
  };
  const worker = startFor(kind, handle);
  await ctx.queues.of(kind).add(kind, {}, { jobId: 'b' });
  await until(async () => runs === 2, { what: 'the second run' });
  await worker.close();
  const { values } = await jobSeconds(ctx).get();
  const own = values.filter(({ labels }) => labels.queue === kind);
  const counts = own.filter(({ metricName }) => metricName?.endsWith('_count'));
  expect(counts).toMatchObject([{ labels: { outcome: 'done' }, value: 2 }]);
});

it('runs as many jobs at once as its row allows, and no more', async () => {
  const kind = 'test-two-at-once';
  const release = Promise.withResolvers<void>();
  let [running, most, done] = [0, 0, 0];
  const handle = async () => {
    running += 1;
    most = Math.max(most, running);
    await release.promise;
    running -= 1;
    done += 1;
    return undefined;
  };
  await ctx.queues.of(kind).addBulk(Array.from({ length: 9 }, () => ({ name: kind, data: {} })));
  const worker = startFor(kind, handle, 2);
  await until(async () => running === 2, { what: 'two to run' });
  release.resolve();
  await until(async () => done === 9, { what: 'all to be done' });
  expect(most).toBe(2);
  await worker.close();
});

/** Takes a job and dies: its lock has run out, and the job still counts as one that runs. */
async function takeAndDie(kind: string): Promise<void> {
  const prefix = ctx.queues.prefixOf(kind);
  const doomed = new Worker(kind, null, { connection, prefix, autorun: false, skipStalledCheck: true });
  const taken = await doomed.getNextJob('token-of-the-dead', { block: false });
  expect(await ctx.redis.queues.del(doomed.toKey(`${taken?.id}:lock`))).toBe(1);
  await doomed.close(true);
}

const isChecked = ({ kind }: Pick<JobRow, 'kind'>) =>
  ctx.redis.queues.exists(ctx.queues.of(kind).toKey('stalled-check'));

it.each([2, Number.POSITIVE_INFINITY])(
  'a job whose worker died runs elsewhere, and a queue at rest is not written to (concurrency %s)',
  async (concurrency) => {
    const handled: unknown[] = [];
    const handle = async (_ctx: unknown, data: unknown) => void handled.push(data);
    const [busy, resting] = ['busy', 'resting'].map((name) =>
      jobRow(job(`${name}-${concurrency}`, {}), { concurrency, work: handle }),
    ) as [JobRow, JobRow];
    ctx.queues.wake(job(busy.kind, {}), [{ id: 'once', job: {}, delayMs: 0 }]);
    await ctx.queues.drained();
    await takeAndDie(busy.kind);
    const workers = [busy, resting].map((row) => startWorker(row, ctx, connection));
    await until(() => handled.length > 0, { what: 'the job to run' });
    expect(await isChecked(resting)).toBe(0);
    await Promise.all(workers.map((worker) => worker.close()));
    expect(handled).toEqual([{}]);
  },
);
