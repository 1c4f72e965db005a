import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { redeliver as repeat } from '../../shared/core/events/webhooks/deliveries/redeliver.ts';
import { deliveryView, viewDelivery } from '../../shared/core/events/webhooks/deliveries/view.ts';
import { route } from '../basics/route.ts';
import { deliveryParams } from '../schemas/params.ts';

export const redeliver = route({
  method: 'post',
  path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  summary: 'Send a delivery again',
  description: 'From attempt 1, the same event with the same bytes. While the webhook is failing it is held.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  params: deliveryParams,
  success: { status: 202, description: 'It is on its way', body: deliveryView },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params }, ctx) => {
    const webhook = { _id: params.id, org_id: wholeOrganization(principal) };
    return viewDelivery(await repeat(ctx, webhook, params.delivery_id));
  },
});
