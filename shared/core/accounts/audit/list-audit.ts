import type { mongo } from 'mongoose';
import { z } from 'zod';
import { unixSeconds } from '../../../platform/basics/clock.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import {
  allPages,
  type KeysetQuery,
  LIST_AHEAD_MS,
  type Listed,
  type ListPage,
} from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { listLong } from '../../../platform/mongo/list-rows.ts';
import { type AuditEntry, auditRows } from './model.ts';

export const auditView = z.strictObject({
  id: z.string(),
  at: z.int().describe('Unix seconds'),
  actor: z
    .string()
    .describe(
      'A person’s account, the id of an API key, or the process: `cli` for a command, `api`, `worker`',
    ),
  action: z.string(),
  details: z.record(z.string(), z.unknown()),
});

export function viewAudit({ _id, at, actor, action, details }: AuditEntry): z.input<typeof auditView> {
  return { id: _id, at: unixSeconds(at), actor, action, details };
}

export interface AuditFilter {
  /** The beginning of the action: `webhook.` for all of webhooks. */
  action?: string | undefined;
  /** Any of these. */
  actors?: readonly string[] | undefined;
  /** Epoch ms; `at` in [fromMs, toMs). */
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

/** One page of what was changed by hand in an organization, by (`at`, id). Counts only when `total` is not known. */
export async function listAudit(
  ctx: Context,
  orgId: string,
  filter: AuditFilter,
  page: ListPage,
): Promise<Listed<AuditEntry>> {
  const range = rangeOf(ctx, filter);
  const matching = { indexed: { org_id: orgId }, filters: filtersOf(filter) };
  return listLong(ctx, auditRows, matching, 'at', { ...page, ...range });
}

const BATCH_ENTRIES = 500;

/** All entries that match, oldest first, in batches. */
export function auditPages(ctx: Context, orgId: string, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  const matching = { org_id: orgId, ...filtersOf(filter) };
  const find = ({ filter: range, sort, limit }: KeysetQuery) =>
    auditRows(ctx)
      .find({ ...matching, ...range }, { sort, limit })
      .toArray();
  const range = { order: 'asc', limit: BATCH_ENTRIES, ...rangeOf(ctx, filter) } as const;
  return allPages<AuditEntry>(find, 'at', range);
}

function rangeOf(
  ctx: Context,
  { fromMs = 0, toMs = Number.POSITIVE_INFINITY }: AuditFilter,
): { fromMs: number; toMs: number } {
  const nowMs = ctx.clock.now();
  return {
    fromMs: Math.max(fromMs, nowMs - ctx.config.auditRetentionDays * DAY_MS),
    toMs: Math.min(toMs, nowMs + LIST_AHEAD_MS),
  };
}

function filtersOf({ action, actors }: AuditFilter): mongo.Filter<AuditEntry> {
  return {
    // A range, not a regular expression, which the embedded store does not find by (docs/stores.md).
    ...(action === undefined ? {} : { action: { $gte: action, $lt: `${action}\u{10ffff}` } }),
    ...(actors === undefined ? {} : { actor: { $in: [...actors] } }),
  };
}
