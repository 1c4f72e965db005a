import { z } from 'zod';
import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { ATTEMPT_ERRORS } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { getOnlyWebhook, getWebhook } from '../../shared/core/events/webhooks/endpoints/get-webhook.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';

export const testWebhook = route({
  method: 'post',
  path: '/api/v1/webhooks/test',
  summary: 'Send a test event',
  description:
    'One signed `session.started` with `data.test: true` in the format of the webhook, now and once; answers what came of it. ' +
    'Without `webhook_id` it goes to the only webhook of the organization; where there are several, that is a 400.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  body: z.strictObject({
    webhook_id: text(128).optional().describe('May be left out where there is one webhook'),
  }),
  bodyIsOptional: true,
  success: {
    status: 200,
    description: 'Answer of the endpoint',
    body: z.strictObject({
      event_id: z.string(),
      status: z
        .int()
        .nullable()
        .describe('HTTP status, or code of the mail server; null when there was no answer'),
      latency_ms: z.number(),
      error: z.enum(ATTEMPT_ERRORS).nullable(),
    }),
  },
  errors: ['not_found'],
  handle: async ({ principal, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    const webhook = await (body.webhook_id === undefined
      ? getOnlyWebhook(ctx, orgId)
      : getWebhook(ctx, orgId, body.webhook_id));
    // Only this route of the api sends: what that needs is loaded by its first call.
    const sending = await import('../../shared/core/events/webhooks/sending/test-webhook.ts');
    return sending.testWebhook(ctx, webhook);
  },
});
