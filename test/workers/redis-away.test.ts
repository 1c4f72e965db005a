import { expect, test } from 'vitest';
import { job } from '../../shared/platform/queues/job.ts';
import { connectQueues } from '../../shared/platform/redis/connect.ts';
import { jobRow } from '../../workers/job-row.ts';
import { closeWorker, startWorker } from '../../workers/worker.ts';
import { startOwnRedis } from '../support/credits.ts';
import { openTestContext, until } from '../support/harness.ts';

test.each([4, Number.POSITIVE_INFINITY])(
  'a worker that starts while Redis is away takes every job once it is back (concurrency %s)',
  async (concurrency) => {
    const own = await startOwnRedis();
    await own.kill();
    const ctx = await openTestContext({ redisUrl: own.url });
    const connection = connectQueues(ctx.config, 'worker');
    const kind = job('test-jobs', {});
    let handled = 0;
    const handle = async () => {
      handled += 1;
    };
    const worker = startWorker(jobRow(kind, { concurrency, work: handle }), ctx, connection);
    // Its connections have failed to connect.
    await until(() => connection.status === 'reconnecting');
    await own.start();
    await until(() => connection.status === 'ready' && ctx.redis.queues.status === 'ready');
    for (const round of [1, 2, 3]) {
      ctx.queues.wake(kind, [{ id: `round-${round}`, job: {}, delayMs: 0 }]);
      await until(() => handled === round, { what: `the job of round ${round}` });
    }
    expect(handled).toBe(3);
    await closeWorker(worker);
    connection.disconnect();
    await ctx.close();
    await own.stop();
  },
);
