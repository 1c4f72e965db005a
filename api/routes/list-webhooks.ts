import { z } from 'zod';
import { DomainError } from '../../shared/errors.ts';
import { text } from '../../shared/text.ts';
import { listedWebhookView, viewListedWebhook } from '../../shared/webhooks/view.ts';
import { listWebhooks } from '../../shared/webhooks/webhooks.ts';
import { type ApiKeyPrincipal, route } from '../route.ts';

export const webhookParams = z.strictObject({ id: text(128).describe('Webhook id') });

/** Webhooks tell of every user, so a key that is bound to one may not touch them. Throws `missing_scope`. */
export function wholeOrganization(principal: ApiKeyPrincipal): string {
  if (principal.userId === null) return principal.orgId;
  throw new DomainError('missing_scope', 'This key is bound to one user; webhooks tell of all.');
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
