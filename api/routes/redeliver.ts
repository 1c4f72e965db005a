import { wholeOrganization } from '../../shared/organizations/reader.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { redeliver as repeat } from '../../shared/webhooks/deliveries/redeliver.ts';
import { deliveryView, viewDelivery } from '../../shared/webhooks/deliveries/view.ts';
import { getWebhook } from '../../shared/webhooks/endpoints/get-webhook.ts';
import { route } from '../basics/route.ts';
import { webhookParams } from '../schemas/params.ts';

export const redeliver = route({
  method: 'post',
  path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  summary: 'Send a delivery again',
  description: 'From attempt 1, the same event with the same bytes. While the webhook is failing it is held.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  params: webhookParams.extend({ delivery_id: text(128).describe('Delivery id') }),
  success: { status: 202, description: 'It is on its way', body: deliveryView },
  errors: ['not_found', 'conflict', 'missing_scope'],
  handle: async ({ principal, params }, ctx) => {
    const webhook = await getWebhook(ctx, wholeOrganization(principal), params.id);
    return viewDelivery(await repeat(ctx, webhook, params.delivery_id));
  },
});
