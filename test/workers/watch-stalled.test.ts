import { Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { job } from '../../shared/platform/queues/job.ts';
import { connectQueues, type RedisClient } from '../../shared/platform/redis/connect.ts';
import { type JobRow, jobRow } from '../../workers/job-row.ts';
import { startWorker } from '../../workers/worker.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';

const { ctx } = await storesFixture();
let connection: RedisClient;
beforeAll(() => {
  connection = connectQueues(ctx.config, 'worker');
});
afterAll(() => connection.disconnect());

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

test.each([2, Number.POSITIVE_INFINITY])(
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
