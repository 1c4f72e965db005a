import type { Context } from '../../shared/platform/context/context.ts';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { startWorker } from '../../workers/worker.ts';

/** Workers of this process for these rows of the table of jobs, which are ready. Returns what ends them. */
export async function runWorkers(
  ctx: Context,
  ...rows: Parameters<typeof startWorker>[0][]
): Promise<() => Promise<void>> {
  const connection = connectRedis(ctx.config, 'worker');
  const workers = rows.map((row) => startWorker(row, ctx, connection));
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  return async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    connection.disconnect();
  };
}
