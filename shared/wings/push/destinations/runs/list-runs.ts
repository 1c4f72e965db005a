import { EXPORT_RUN_KEPT_DAYS } from '../../../../platform/basics/contract.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { given } from '../../../../platform/basics/given.ts';
import { DAY_MS } from '../../../../platform/basics/interval.ts';
import { LIST_AHEAD_MS, type Listed, type ListPage } from '../../../../platform/basics/paginate.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { listRows } from '../../../../platform/mongo/list-rows.ts';
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
  return listRows(ctx, exportRunRows, { destination_id: destinationId }, 'created_at', {
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

/** The partitions that a list is narrowed to. */
export interface PartitionFilter {
  level?: DestinationLevel['level'] | undefined;
  state?: ExportPartition['state'] | undefined;
  billing_period?: string | undefined;
}

/** The days of a destination that have a manifest, by day. */
export async function listPartitions(
  ctx: Context,
  destinationId: string,
  filter: PartitionFilter,
  page: ListPage,
): Promise<Listed<ExportPartition>> {
  const matching = { destination_id: destinationId, manifest_key: { $gt: '' }, ...given(filter) };
  return listRows(ctx, exportPartitionRows, matching, 'day', { ...page, fromMs: 0, toMs: ctx.clock.now() });
}
