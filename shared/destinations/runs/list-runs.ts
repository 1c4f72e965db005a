import { dateAt } from '../../platform/basics/clock.ts';
import { EXPORT_RUN_KEPT_DAYS } from '../../platform/basics/contract.ts';
import { DomainError } from '../../platform/basics/errors.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { LIST_AHEAD_MS, type Listed, type ListPage } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { listRows } from '../../platform/mongo/list-rows.ts';
import { startOfDay } from '../days.ts';
import {
  type DestinationLevel,
  type ExportPartition,
  type ExportRun,
  exportPartitionRows,
  exportRunRows,
} from '../model.ts';

/** The runs of a destination, those of the last 90 days. */
export async function listRuns(
  ctx: Context,
  destinationId: string,
  page: ListPage,
): Promise<Listed<ExportRun>> {
  const nowMs = ctx.clock.now();
  return listRows(exportRunRows(ctx), { destination_id: destinationId }, 'created_at', {
    ...page,
    fromMs: nowMs - EXPORT_RUN_KEPT_DAYS * DAY_MS,
    toMs: nowMs + LIST_AHEAD_MS,
  });
}

/** One run of a destination. Throws `not_found`. */
export async function getRun(ctx: Context, destinationId: string, runId: string): Promise<ExportRun> {
  const run = await exportRunRows(ctx).findOne({ _id: runId });
  if (run?.destination_id !== destinationId) throw new DomainError('not_found', 'There is no such run.');
  return run;
}

/** The days of a destination that have a manifest, by day. */
export async function listPartitions(
  ctx: Context,
  destinationId: string,
  { level, month }: { level: DestinationLevel['level'] | undefined; month: string | undefined },
  page: ListPage,
): Promise<Listed<ExportPartition>> {
  const ofLevel = level === undefined ? {} : { level };
  const matching = { destination_id: destinationId, manifest_key: { $gt: '' }, ...ofLevel };
  return listRows(exportPartitionRows(ctx), matching, 'day', { ...page, ...rangeOf(ctx, month) });
}

function rangeOf(ctx: Context, month: string | undefined): { fromMs: number; toMs: number } {
  if (month === undefined) return { fromMs: 0, toMs: ctx.clock.now() };
  const start = dateAt(startOfDay(`${month}-01`));
  return {
    fromMs: start.getTime(),
    toMs: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1),
  };
}
