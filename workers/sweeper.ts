import { deliverWebhookJob } from '../shared/core/events/webhooks/deliveries/jobs.ts';
import { sweepDeliveries } from '../shared/core/events/webhooks/sending/sweep-deliveries.ts';
import { wingsOf } from '../shared/core/hooks/wing.ts';
import { every } from '../shared/platform/basics/every.ts';
import { within } from '../shared/platform/basics/within.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { sweepDue } from '../shared/platform/due/sweep-due.ts';
import { groupBySlot } from '../shared/platform/redis/keys.ts';
import * as jobs from './index.ts';
import { sweptRows } from './metrics.ts';

const SWEEP_EVERY_MS = 5_000;

/** A plain timer in each worker, so that all queues may be flushed and nothing is lost. Returns how to stop it. */
export function startSweeper(ctx: Context): () => Promise<void> {
  return every(SWEEP_EVERY_MS, () => sweepOnce(ctx));
}

/** A sweep whose store does not answer is given up, so that the others go on. */
const SWEEP_DEADLINE_MS = 10_000;

/** One pass over everything that may be due. A store that is down ends the pass, not the sweeper. */
export async function sweepOnce(ctx: Context): Promise<void> {
  await attempt(ctx, 'due', async () => {
    for (const [queue, found] of await sweepDue(ctx)) sweptRows(ctx).inc({ queue }, found);
  });
  await attempt(ctx, 'deliveries', async () => {
    sweptRows(ctx).inc({ queue: deliverWebhookJob.kind }, await sweepDeliveries(ctx));
  });
  for (const { name, gauges: { worker: measure } = {} } of wingsOf(ctx))
    if (measure) await attempt(ctx, name, () => measure(ctx));
  await attempt(ctx, 'schedules', () => restoreSchedules(ctx));
}

async function attempt(ctx: Context, sweep: string, work: () => Promise<void>): Promise<void> {
  try {
    await within(SWEEP_DEADLINE_MS, 'A sweep', work());
  } catch (error) {
    ctx.log.warn({ err: error, sweep }, 'a sweep failed; the next one comes in 5 s');
  }
}

/** Runs of each scheduled job that bull-board shows, with their results. */
const KEPT_RUNS = { count: 20 };

const put = new WeakSet<Context>();

/** All of them when the worker starts, since their times may have changed; then those that Redis has lost. */
async function restoreSchedules(ctx: Context): Promise<void> {
  const scheduled = Object.values(jobs).flatMap(({ kind, everyMs }) =>
    everyMs === undefined ? [] : { kind, everyMs, key: ctx.queues.of(kind).toKey('repeat') },
  );
  for (const group of groupBySlot(ctx.redis.queues, scheduled)) {
    const known = put.has(ctx) ? await ctx.redis.queues.exists(...group.map(({ key }) => key)) : 0;
    if (known === group.length) continue;
    for (const { kind, everyMs } of group)
      await ctx.queues
        .of(kind)
        .upsertJobScheduler(
          kind,
          { every: everyMs },
          { data: {}, opts: { removeOnComplete: KEPT_RUNS, removeOnFail: KEPT_RUNS } },
        );
  }
  put.add(ctx);
}
