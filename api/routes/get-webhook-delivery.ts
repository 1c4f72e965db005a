import { z } from 'zod';
import { text } from '../../shared/text.ts';
import { readDelivery, requestHeaders } from '../../shared/webhooks/read-delivery.ts';
import { deliveryView, viewDelivery } from '../../shared/webhooks/view.ts';
import { readWebhook } from '../../shared/webhooks/webhooks.ts';
import { route } from '../route.ts';
import { webhookParams, wholeOrganization } from './list-webhooks.ts';

export const getWebhookDelivery = route({
  method: 'get',
  path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}',
  summary: 'Read a delivery with what it sends',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  params: webhookParams.extend({ delivery_id: text(128).describe('Delivery id') }),
  success: {
    status: 200,
    description: 'The delivery and its request, without the signatures',
    body: deliveryView.extend({
      request: z.strictObject({
        headers: z.record(z.string(), z.string()),
        body: z.string().describe('The envelope as it is sent, byte for byte'),
      }),
    }),
  },
  errors: ['not_found', 'missing_scope'],
  handle: async ({ principal, params }, ctx) => {
    const webhook = await readWebhook(ctx, wholeOrganization(principal), params.id);
    const { delivery, body } = await readDelivery(ctx, webhook, params.delivery_id);
    return { ...viewDelivery(delivery), request: { headers: requestHeaders(delivery), body } };
  },
});
