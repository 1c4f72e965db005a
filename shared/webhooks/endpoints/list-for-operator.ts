import { isoTime } from '../../platform/basics/clock.ts';
import type { Context } from '../../platform/context/context.ts';
import { type Webhook, webhookRows } from './model.ts';

/** A webhook as an operator sees it. `alerted_at` null: nobody was told of it failing. */
export interface OperatorWebhook {
  webhook_id: string;
  org_id: string;
  host: string;
  enabled: boolean;
  status: Webhook['status'];
  failing_since: string | null;
  alerted_at: string | null;
}

/** All webhooks of an organization, or the failing ones of every organization, oldest first. */
export async function listForOperator(ctx: Context, orgId?: string): Promise<OperatorWebhook[]> {
  const filter = orgId === undefined ? { status: 'failing' as const } : { org_id: orgId };
  const webhooks = await webhookRows(ctx).find(filter).sort({ created_at: 1 }).toArray();
  return webhooks.map(({ _id, org_id, url, enabled, status, failing_since, alerted_at }) => ({
    webhook_id: _id,
    org_id,
    host: new URL(url).host || url,
    enabled,
    status,
    failing_since: failing_since && isoTime(failing_since.getTime()),
    alerted_at: alerted_at && isoTime(alerted_at.getTime()),
  }));
}
