import { z } from 'zod';
import type { AuditFilter } from '../../shared/core/accounts/audit/list-audit.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { text } from '../../shared/platform/basics/text.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { listRange, timeOrDate } from './time.ts';

export const auditFilters = {
  action: text(64).optional().describe('Actions that begin with this: `webhook.` for all of webhooks'),
  actor: text(256)
    .optional()
    .describe('Filter by actor: an account, a user id, the id of a key, or a process'),
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
  return { action, ...(await actorsOf(ctx, orgId, actor)), ...(await listRange(ctx, orgId, { from, to })) };
}

/** The actor as it is named, and the account of the person who has this user id. */
async function actorsOf(ctx: Context, orgId: string, actor: string | undefined): Promise<AuditFilter> {
  if (actor === undefined) return {};
  const person = await memberRows(ctx).findOne({ org_id: orgId, user_id: actor }, { projection: { _id: 1 } });
  return { actors: [actor, ...(person ? [person._id] : [])] };
}
