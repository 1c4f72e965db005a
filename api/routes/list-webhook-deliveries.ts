import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { listDeliveries } from '../../shared/core/events/webhooks/deliveries/list-deliveries.ts';
import { DELIVERY_STATUSES } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { deliveryView, viewListedDelivery } from '../../shared/core/events/webhooks/deliveries/view.ts';
import { getWebhook } from '../../shared/core/events/webhooks/endpoints/get-webhook.ts';
import { EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { route } from '../basics/route.ts';
import { answerLongPage, longPageOf, pageQuery } from '../schemas/page.ts';
import { webhookParams } from '../schemas/params.ts';

export const listWebhookDeliveries = route({
  method: 'get',
  path: '/api/v1/webhooks/{id}/deliveries',
  summary: 'List the deliveries of a webhook',
  description: 'The log, newest first, each delivery with its attempts and the beginning of each answer.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  params: webhookParams,
  query: z.strictObject({
    ...pageQuery,
    status: z.enum(DELIVERY_STATUSES).optional().describe('Only deliveries with this status'),
    type: z.enum(EVENT_TYPES).optional().describe('Only deliveries of this type of event'),
  }),
  success: { status: 200, description: 'A page of deliveries', body: longPageOf(deliveryView) },
  errors: ['not_found', 'invalid_cursor'],
  handle: async ({ principal, params, query }, ctx) => {
    const filter = { status: query.status, type: query.type };
    const webhook = await getWebhook(ctx, wholeOrganization(principal), params.id);
    return answerLongPage(
      ctx,
      ['deliveries', webhook._id, filter],
      query,
      (page) => listDeliveries(ctx, webhook, filter, page),
      viewListedDelivery,
    );
  },
});
