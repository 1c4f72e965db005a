import { z } from 'zod';
import { dateAt, unixSeconds } from '../platform/basics/clock.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import {
  type KeysetQuery,
  LIST_AHEAD_MS,
  type Order,
  type Position,
  paginate,
} from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
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

/** One page of what was changed by hand in an organization, by (`at`, id). Counts only when `total` is not known. */
export async function listAudit(
  ctx: Context,
  orgId: string,
  page: { order: Order; limit: number; after: Position | null; total: number | null },
): Promise<{ rows: AuditEntry[]; hasMore: boolean; last: Position | null; total: number }> {
  const fromMs = ctx.clock.now() - ctx.config.auditRetentionDays * DAY_MS;
  const toMs = ctx.clock.now() + LIST_AHEAD_MS;
  const find = ({ filter, sort, limit }: KeysetQuery) =>
    auditRows(ctx)
      .find({ org_id: orgId, ...filter }, { sort, limit })
      .toArray();
  const [walked, total] = await Promise.all([
    paginate<AuditEntry>(find, 'at', { ...page, fromMs, toMs }),
    page.total ??
      auditRows(ctx).countDocuments({ org_id: orgId, at: { $gte: dateAt(fromMs), $lt: dateAt(toMs) } }),
  ]);
  return { ...walked, total };
}
