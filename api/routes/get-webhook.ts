import { viewWebhookDetail, webhookDetailView } from '../../shared/webhooks/view.ts';
import { readListedWebhook } from '../../shared/webhooks/webhooks.ts';
import { route } from '../route.ts';
import { webhookParams, wholeOrganization } from './list-webhooks.ts';

export const getWebhook = route({
  method: 'get',
  path: '/api/v1/webhooks/{id}',
  summary: 'Read a webhook',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  params: webhookParams,
  success: { status: 200, description: 'The webhook, without its secret', body: webhookDetailView },
  errors: ['not_found', 'missing_scope'],
  handle: async ({ principal, params }, ctx) =>
    viewWebhookDetail(await readListedWebhook(ctx, wholeOrganization(principal), params.id), ctx.clock.now()),
});
