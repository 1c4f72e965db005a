import { confirmActor } from '../../../../core/accounts/keys/confirm-actor.ts';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { given } from '../../../../platform/basics/given.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { readDue } from '../../../../platform/due/plan-due.ts';
import { insertRow, updateRow } from '../../../../platform/mongo/writes.ts';
import { runDestinationJob } from '../jobs.ts';
import { auditDestination, getDestination } from '../manage-destinations.ts';
import { destinationRows, type ExportRun, exportRunRows, type RunOptions } from '../model.ts';
import { type DueRun, planRun } from '../schedule.ts';
import { newRun } from './begin-run.ts';

/**
 * Queues a run now, or returns the one that is unfinished where it is the same. Throws `not_found`, and `conflict` for a destination
 * that is paused, or while another run is unfinished.
 */
export async function askForRun(
  ctx: Context,
  orgId: string,
  id: string,
  options: RunOptions,
): Promise<ExportRun> {
  return commitPlan(ctx, async (transaction) => {
    const { writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const destination = await getDestination(ctx, orgId, id, transaction);
    if (!destination.enabled)
      throw new DomainError('conflict', 'The destination is paused: set `enabled` first.');
    const unfinished =
      destination.run_id === null
        ? null
        : await exportRunRows(ctx).findOne({ _id: destination.run_id }, { session: transaction });
    if (unfinished) {
      if (!isSame(unfinished, options))
        throw new DomainError('conflict', 'A run is under way: ask again when it has ended.');
      return { result: unfinished };
    }
    const nowMs = ctx.clock.now();
    const replaced = await readDue<DueRun>(ctx, runDestinationJob, id, transaction);
    const next_at = replaced?.next_at ?? replaced?.due_at;
    const due: DueRun = { attempt: 1, trigger: 'manual', ...options, ...given({ next_at }) };
    const run = newRun(orgId, id, due, dateAt(nowMs));
    const plan = planRun(destination, nowMs, due);
    const writes = [
      ...touched,
      ...plan.writes,
      insertRow(exportRunRows, run),
      updateRow(destinationRows, { _id: id }, { $set: { run_id: run._id } }),
      auditDestination(ctx, 'run', destination, { run_id: run._id }),
    ];
    return { writes, wakeUps: plan.wakeUps, result: run };
  });
}

function isSame(run: RunOptions, { from, to, force }: RunOptions): boolean {
  return run.from === from && run.to === to && run.force === force;
}
