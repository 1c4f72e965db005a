import { z } from 'zod';
import type { AuditFilter } from '../../shared/audit/list-audit.ts';
import { text } from '../../shared/platform/basics/text.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { listRange, timeOrDate } from './time.ts';

/** The filters of the audit log. */
export const auditFilters = {
  action: text(64).optional().describe('Actions that begin with this: `webhook.` for all of webhooks'),
  actor: text(128).optional().describe('Filter by actor: an account, the id of a key, or a process'),
  from: timeOrDate
    .optional()
    .describe("At or after this time; a date is its midnight in the organization's timezone"),
  to: timeOrDate.optional().describe('Before this time; a date likewise'),
};

const asked = z.object(auditFilters);

/** The filters as the domain takes them. */
export async function auditFilter(
  ctx: Context,
  orgId: string,
  { action, actor, from, to }: z.output<typeof asked>,
): Promise<AuditFilter> {
  return { action, actor, ...(await listRange(ctx, orgId, { from, to })) };
}
