import type { Worker } from 'bullmq';
import type { Context } from '../shared/platform/context/context.ts';

/**
 * Lets jobs run elsewhere whose worker died. BullMQ's own check writes to Redis each time, with an fsync; this one first
 * asks whether any job runs at all, so that a queue at rest costs one read. It needs `skipStalledCheck`, and in
 * `stalledInterval` a little less than `everyMs` (milliseconds): so long one check of any worker counts for all. Returns
 * how to stop.
 */
export function watchStalled(worker: Worker, ctx: Context, everyMs: number): () => void {
  const look = async (): Promise<void> => {
    try {
      const running = await ctx.redis.queues.llen(worker.toKey('active'));
      if (running > 0) await worker.backend.moveStalledJobsToWait();
    } catch (error) {
      ctx.log.debug({ err: error, queue: worker.name }, 'jobs of workers that died were not looked for');
    }
  };
  void look();
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}
