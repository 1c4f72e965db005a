import { gauge } from '../../../platform/basics/metrics.ts';
import type { Context } from '../../../platform/context/context.ts';
import { dueRows } from '../../../platform/due/model.ts';
import { moveBranchCallsJob, moveSessionCallsJob } from './jobs.ts';

const oldest = gauge({
  name: 'governor_moving_calls',
  help: 'Seconds for which the oldest calls have waited that workers are to move to another work; 0 when none wait.',
});

/** Brings the gauge of waiting moves up to date. */
export async function readMoveGauges(ctx: Context): Promise<void> {
  const kinds = [moveSessionCallsJob.kind, moveBranchCallsJob.kind];
  const due = await Promise.all(
    kinds.map((kind) =>
      dueRows(ctx)
        .find({ kind }, { projection: { due_at: 1 } })
        .toArray(),
    ),
  );
  const nowMs = ctx.clock.now();
  const ages = due.flat().map(({ due_at }) => (nowMs - due_at.getTime()) / 1_000);
  oldest(ctx).set(Math.max(0, ...ages));
}
