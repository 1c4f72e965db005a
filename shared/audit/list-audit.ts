import { z } from 'zod';
import { unixSeconds } from '../platform/basics/clock.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import { LIST_AHEAD_MS, type Listed, type ListPage } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';
import { listRows } from '../platform/mongo/list-rows.ts';
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
export async function listAudit(ctx: Context, orgId: string, page: ListPage): Promise<Listed<AuditEntry>> {
  const nowMs = ctx.clock.now();
  const fromMs = nowMs - ctx.config.auditRetentionDays * DAY_MS;
  return listRows(auditRows(ctx), { org_id: orgId }, 'at', { ...page, fromMs, toMs: nowMs + LIST_AHEAD_MS });
}
