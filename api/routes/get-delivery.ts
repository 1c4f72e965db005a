import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { getDelivery as read } from '../../shared/core/events/webhooks/deliveries/find-delivery.ts';
import { deliveryView, viewDelivery } from '../../shared/core/events/webhooks/deliveries/view.ts';
import { getWebhook } from '../../shared/core/events/webhooks/endpoints/get-webhook.ts';
import { route } from '../basics/route.ts';
import { deliveryParams } from '../schemas/params.ts';

export const getDelivery = route({
  method: 'get',
  path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}',
  summary: 'Get a delivery with its request',
  description: 'The delivery as the log shows it, and the bytes that are sent. Signatures are not kept.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  params: deliveryParams,
  success: {
    status: 200,
    description: 'The delivery',
    body: deliveryView.extend({
      request: z.strictObject({
        headers: z.record(z.string(), z.string()).describe('Those that are the same for every attempt'),
        body: z.string().nullable().describe('Null when the event is older than its retention'),
      }),
    }),
  },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    const webhook = await getWebhook(ctx, wholeOrganization(principal), params.id);
    const { delivery, sent } = await read(ctx, webhook, params.delivery_id);
    const headers = { 'webhook-id': delivery.event_id, ...sent?.headers };
    return { ...viewDelivery(delivery), request: { headers, body: sent?.body ?? null } };
  },
});
