import { isoTime } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { nameMaker } from '../../../accounts/keys/model.ts';
import { webhookRows } from './model.ts';

/** The webhooks of one organization or of all, oldest first. `alerted_at` null: nobody was told of it failing. */
export async function listForOperator(
  ctx: Context,
  { orgId, failing }: { orgId?: string | undefined; failing: boolean },
) {
  const filter = {
    ...(orgId === undefined ? {} : { org_id: orgId }),
    ...(failing ? { status: 'failing' as const } : {}),
  };
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
