import { changeWebhook } from '../../shared/webhooks/change-webhook.ts';
import { viewWebhookDetail, webhookChange, webhookDetailView } from '../../shared/webhooks/view.ts';
import { readListedWebhook } from '../../shared/webhooks/webhooks.ts';
import { route } from '../route.ts';
import { webhookParams, wholeOrganization } from './list-webhooks.ts';

export const changeWebhookRoute = route({
  method: 'patch',
  path: '/api/v1/webhooks/{id}',
  summary: 'Change a webhook',
  description:
    'What is left out stays. A new secret signs at once, the one before signs too for 24 hours: `webhook-signature` has ' +
    'one signature of each, `X-Service-Signature` is of the new one. A second change drops the oldest. While `enabled` ' +
    'is false, deliveries are held; that does not end a failing state, and only `/v1/webhooks/{id}/enable` does.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  params: webhookParams,
  body: webhookChange,
  success: { status: 200, description: 'The webhook, without its secret', body: webhookDetailView },
  errors: ['not_found', 'missing_scope'],
  handle: async ({ principal, params, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    await changeWebhook(ctx, orgId, params.id, body);
    return viewWebhookDetail(await readListedWebhook(ctx, orgId, params.id), ctx.clock.now());
  },
});
