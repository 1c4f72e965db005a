import type { Context } from '../shared/platform/context/context.ts';
import { sweepDue } from '../shared/platform/due/sweep-due.ts';
import { JOB_TABLE, SWEEPS } from './index.ts';
import { sweptRows } from './metrics.ts';

const SWEEP_EVERY_MS = 5_000;

/** A plain timer in each worker, so that all queues may be flushed and nothing is lost. Returns how to stop it. */
export function startSweeper(ctx: Context): () => Promise<void> {
  let running: Promise<void> = sweepOnce(ctx);
  const timer = setInterval(() => {
    running = running.then(() => sweepOnce(ctx));
  }, SWEEP_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** One pass over everything that may be due. A store that is down ends the pass, not the sweeper. */
export async function sweepOnce(ctx: Context): Promise<void> {
  try {
    for (const [queue, found] of await sweepDue(ctx)) sweptRows(ctx).inc({ queue }, found);
  } catch (error) {
    ctx.log.warn({ err: error }, 'the sweep of due rows failed; the next one comes in 5 s');
  }
  for (const { queue, sweep } of SWEEPS) {
    try {
      const found = await sweep(ctx);
      if (found > 0) sweptRows(ctx).inc({ queue }, found);
    } catch (error) {
      ctx.log.warn({ err: error, queue }, 'sweep failed; the next one comes in 5 s');
    }
  }
  await restoreSchedules(ctx).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'schedules were not restored'),
  );
}

const put = new WeakSet<Context>();

/** All of them when the worker starts, since their times may have changed; then what Redis has lost. */
async function restoreSchedules(ctx: Context): Promise<void> {
  for (const { kind, everyMs } of JOB_TABLE) {
    if (everyMs === undefined) continue;
    const schedulers = ctx.queues.of(kind);
    if (put.has(ctx) && (await schedulers.getJobSchedulersCount()) > 0) continue;
    await schedulers.upsertJobScheduler(
      kind,
      { every: everyMs },
      { data: {}, opts: { removeOnComplete: true, removeOnFail: true } },
    );
  }
  put.add(ctx);
}
