import { z } from 'zod';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { listWebhooks } from '../../shared/webhooks/deliveries/list-webhooks.ts';
import { listedWebhookView, viewListedWebhook } from '../../shared/webhooks/deliveries/view.ts';
import { type ApiKeyPrincipal, route } from '../route.ts';

export const webhookParams = z.strictObject({ id: text(128).describe('Webhook id') });

/** Webhooks are visible only to keys that are not bound to one user. Throws `missing_scope`. */
export function wholeOrganization(principal: ApiKeyPrincipal): string {
  if (principal.userId === null) return principal.orgId;
  throw new DomainError('missing_scope', 'Webhooks are visible only to keys that are not bound to one user.');
}

export const listWebhooksRoute = route({
  method: 'get',
  path: '/api/v1/webhooks',
  summary: 'List webhooks',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  success: {
    status: 200,
    description: 'All webhooks, oldest first',
    body: z.strictObject({ data: z.array(listedWebhookView) }),
  },
  errors: ['missing_scope'],
  handle: async ({ principal }, ctx) => {
    const listed = await listWebhooks(ctx, wholeOrganization(principal));
    return { data: listed.map(viewListedWebhook) };
  },
});
