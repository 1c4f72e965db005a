import { enableWebhook as enable } from '../../shared/webhooks/endpoints/enable-webhook.ts';
import { viewWebhook, webhookView } from '../../shared/webhooks/endpoints/view.ts';
import { route } from '../basics/route.ts';
import { webhookParams } from '../schemas/params.ts';

export const enableWebhook = route({
  method: 'post',
  path: '/v1/webhooks/{id}/enable',
  summary: 'Let a failing webhook deliver again',
  description: 'For admins. Sends the held deliveries in order. Repeating it changes nothing.',
  tag: 'Webhooks',
  auth: { kind: 'idp', role: 'admin' },
  priority: 'read',
  params: webhookParams,
  success: { status: 200, description: 'The webhook', body: webhookView },
  errors: ['not_found', 'missing_scope'],
  handle: async ({ principal, params }, ctx) => {
    return viewWebhook(await enable(ctx, principal.orgId, params.id));
  },
});
