import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { viewWebhook, webhookInput, webhookView } from '../../shared/webhooks/endpoints/view.ts';
import { route } from '../route.ts';
import { wholeOrganization } from './list-webhooks.ts';

export const postWebhook = route({
  method: 'post',
  path: '/api/v1/webhooks',
  summary: 'Register a webhook',
  description:
    'Each event of the organization that it names is sent to `url` as a POST, signed with `secret`. ' +
    'Attempts: at once, then 30 s, 5 min, 30 min and 2 h after the failure before.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  body: webhookInput,
  success: { status: 201, description: 'The webhook, without its secret', body: webhookView },
  errors: ['conflict', 'missing_scope'],
  handle: async ({ principal, body }, ctx) =>
    viewWebhook(await createWebhook(ctx, wholeOrganization(principal), body)),
});
