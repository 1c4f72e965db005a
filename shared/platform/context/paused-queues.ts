import type { Job } from '../queues/job.ts';
import { groupBySlot } from '../redis/keys.ts';
import type { Warning } from './readiness.ts';

/** A queue that somebody has paused in bull-board: its jobs wait until it is resumed. */
export function warnOfPaused(jobs: readonly Job[]): Warning {
  return async (ctx) => {
    const asked = jobs.map(({ kind }) => ({ kind, key: ctx.queues.of(kind).toKey('meta') }));
    const paused: string[] = [];
    for (const group of groupBySlot(ctx.redis.queues, asked)) {
      const pipeline = ctx.redis.queues.pipeline();
      for (const { key } of group) pipeline.hexists(key, 'paused');
      const answers = (await pipeline.exec()) ?? [];
      for (const [index, { kind }] of group.entries()) if (answers[index]?.[1] === 1) paused.push(kind);
    }
    if (paused.length === 0) return null;
    return `Paused in bull-board, so nothing of it is done: ${paused.join(', ')}`;
  };
}
