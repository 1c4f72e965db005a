import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { describeWebhook } from '../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { viewWebhookInFull, webhookInFullView } from '../../shared/core/events/webhooks/deliveries/view.ts';
import { route } from '../basics/route.ts';
import { webhookParams } from '../schemas/params.ts';

export const getWebhook = route({
  method: 'get',
  path: '/api/v1/webhooks/{id}',
  summary: 'Get a webhook',
  description: 'The webhook as the list shows it, and until when its former secret signs too.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  params: webhookParams,
  success: { status: 200, description: 'The webhook', body: webhookInFullView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) =>
    viewWebhookInFull(await describeWebhook(ctx, wholeOrganization(principal), params.id), ctx.clock.now()),
});
