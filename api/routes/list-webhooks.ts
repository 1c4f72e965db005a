import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { listWebhooks as list } from '../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { listedWebhookView, viewListedWebhook } from '../../shared/core/events/webhooks/deliveries/view.ts';
import { route } from '../basics/route.ts';

export const listWebhooks = route({
  method: 'get',
  path: '/api/v1/webhooks',
  summary: 'List webhooks',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  success: {
    status: 200,
    description: 'All webhooks, oldest first',
    body: z.strictObject({ data: z.array(listedWebhookView) }),
  },
  handle: async ({ principal }, ctx) => {
    const listed = await list(ctx, wholeOrganization(principal));
    return { data: listed.map(viewListedWebhook) };
  },
});
