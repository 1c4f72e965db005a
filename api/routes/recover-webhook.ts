import { z } from 'zod';
import { instantOrUtc } from '../../shared/iso-time.ts';
import { recoverDeliveries } from '../../shared/webhooks/recover-deliveries.ts';
import { readWebhook } from '../../shared/webhooks/webhooks.ts';
import { route } from '../route.ts';
import { webhookParams, wholeOrganization } from './list-webhooks.ts';

export const recoverWebhook = route({
  method: 'post',
  path: '/api/v1/webhooks/{id}/recover',
  summary: 'Send again what was given up',
  description:
    'Every delivery since that time that had failed its fifth attempt, in the order of the events, each from attempt 1, at ' +
    'most 100 a second. While the webhook is failing or paused they are held.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  priority: 'read',
  params: webhookParams,
  body: z.strictObject({ since: instantOrUtc.describe('ISO 8601, within the last 30 days') }),
  success: { status: 202, description: 'How many are sent again', body: z.strictObject({ queued: z.int() }) },
  errors: ['not_found', 'missing_scope'],
  handle: async ({ principal, params, body }, ctx) => {
    const webhook = await readWebhook(ctx, wholeOrganization(principal), params.id);
    return { queued: await recoverDeliveries(ctx, webhook, body.since) };
  },
});
