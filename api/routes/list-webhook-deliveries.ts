import { z } from 'zod';
import { EVENT_TYPES } from '../../shared/contract.ts';
import { listDeliveries } from '../../shared/webhooks/list-deliveries.ts';
import { DELIVERY_STATUSES } from '../../shared/webhooks/model.ts';
import { deliveryView, viewDelivery } from '../../shared/webhooks/view.ts';
import { readWebhook } from '../../shared/webhooks/webhooks.ts';
import { answerPage, pageOf, pageQuery } from '../page.ts';
import { route } from '../route.ts';
import { webhookParams, wholeOrganization } from './list-webhooks.ts';

export const listWebhookDeliveries = route({
  method: 'get',
  path: '/api/v1/webhooks/{id}/deliveries',
  summary: 'List the deliveries of a webhook',
  description: 'The log, newest first, each delivery with its attempts.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  params: webhookParams,
  query: z.strictObject({
    status: z.enum(DELIVERY_STATUSES).optional().describe('Filter by what became of it'),
    type: z.enum(EVENT_TYPES).optional().describe('Filter by event type'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of deliveries', body: pageOf(deliveryView) },
  errors: ['not_found', 'missing_scope', 'invalid_cursor'],
  handle: async ({ principal, params, query }, ctx) => {
    const webhook = await readWebhook(ctx, wholeOrganization(principal), params.id);
    const filter = { status: query.status, type: query.type };
    return answerPage(
      ctx,
      ['deliveries', webhook._id, filter],
      query,
      (page) => listDeliveries(ctx, webhook, filter, page),
      viewDelivery,
    );
  },
});
