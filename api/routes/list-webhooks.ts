import { z } from 'zod';
import { wholeOrganization } from '../../shared/organizations/reader.ts';
import { listedWebhookView, viewDelivery, viewWebhook } from '../../shared/webhooks/view.ts';
import { listWebhooks as list } from '../../shared/webhooks/webhooks.ts';
import { route } from '../basics/route.ts';

export const listWebhooks = route({
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
    const listed = await list(ctx, wholeOrganization(principal));
    return {
      data: listed.map(({ webhook, held, lastDelivery }) => ({
        ...viewWebhook(webhook),
        status: webhook.status,
        held,
        last_delivery: lastDelivery && viewDelivery(lastDelivery),
      })),
    };
  },
});
