import { DomainError } from '../../shared/errors.ts';
import { enableWebhook } from '../../shared/webhooks/enable-webhook.ts';
import { viewWebhook, webhookView } from '../../shared/webhooks/view.ts';
import { route } from '../route.ts';
import { webhookParams } from './list-webhooks.ts';

export const enableWebhookRoute = route({
  method: 'post',
  path: '/v1/webhooks/{id}/enable',
  summary: 'Let a failing webhook deliver again',
  description:
    'For admins of its organization. What was held is sent in order; repeating it changes nothing.',
  tag: 'Webhooks',
  auth: { kind: 'idp' },
  priority: 'read',
  params: webhookParams,
  success: { status: 200, description: 'The webhook', body: webhookView },
  errors: ['not_found', 'missing_scope'],
  handle: async ({ principal, params }, ctx) => {
    if (principal.role !== 'admin') throw new DomainError('missing_scope', 'This needs an admin.');
    return viewWebhook(await enableWebhook(ctx, principal.orgId, params.id));
  },
});
