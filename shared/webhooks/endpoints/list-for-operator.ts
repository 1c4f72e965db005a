import { nameMaker } from '../../keys/model.ts';
import { isoTime } from '../../platform/basics/clock.ts';
import type { Context } from '../../platform/context/context.ts';
import { webhookRows } from './model.ts';

/**
 * All webhooks of an organization, or the failing ones of every organization, oldest first. `alerted_at` null: nobody was
 * told of it failing.
 */
export async function listForOperator(ctx: Context, orgId?: string) {
  const filter = orgId === undefined ? { status: 'failing' as const } : { org_id: orgId };
  const webhooks = await webhookRows(ctx).find(filter).sort({ created_at: 1 }).toArray();
  return webhooks.map(({ _id, org_id, url, enabled, status, failing_since, alerted_at, made_by }) => ({
    webhook_id: _id,
    org_id,
    host: new URL(url).host || url,
    enabled,
    made_by: nameMaker(made_by),
    status,
    failing_since: failing_since && isoTime(failing_since.getTime()),
    alerted_at: alerted_at && isoTime(alerted_at.getTime()),
  }));
}
