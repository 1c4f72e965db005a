import { z } from 'zod';
import { countNotSent } from '../../shared/core/events/webhooks/deliveries/recover-deliveries.ts';
import { enableWebhook as enable } from '../../shared/core/events/webhooks/endpoints/enable-webhook.ts';
import { getWebhook } from '../../shared/core/events/webhooks/endpoints/get-webhook.ts';
import { viewWebhook, webhookView } from '../../shared/core/events/webhooks/endpoints/view.ts';
import { isoTime } from '../../shared/platform/basics/clock.ts';
import { route } from '../basics/route.ts';
import { webhookParams } from '../schemas/params.ts';

export const enableWebhook = route({
  method: 'post',
  path: '/v1/webhooks/{id}/enable',
  summary: 'Let a failing webhook deliver again',
  description:
    'For admins. Sends the held deliveries in order. Deliveries that have failed their fifth attempt are not sent again by ' +
    'this: `not_sent` counts them, and `recover` with its `since` sends them. Repeating it changes nothing.',
  tag: 'Webhooks',
  auth: { kind: 'idp', role: 'admin' },
  params: webhookParams,
  success: {
    status: 200,
    description: 'The webhook',
    body: webhookView.extend({
      not_sent: z
        .strictObject({
          count: z
            .int()
            .describe('Deliveries')
            .meta({ examples: [3] }),
          since: z
            .string()
            .nullable()
            .describe('Time of the oldest event among them; null when there are none'),
        })
        .describe('Deliveries that have failed their fifth attempt since the webhook began to fail'),
    }),
  },
  errors: ['not_found', 'missing_scope'],
  handle: async ({ principal, params }, ctx) => {
    const { count, since } = await countNotSent(ctx, await getWebhook(ctx, principal.orgId, params.id));
    const enabled = await enable(ctx, principal.orgId, params.id);
    return { ...viewWebhook(enabled), not_sent: { count, since: since && isoTime(since.getTime()) } };
  },
});
