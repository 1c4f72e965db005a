import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { createWebhook as create } from '../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { getWebhook } from '../../shared/core/events/webhooks/endpoints/get-webhook.ts';
import { viewWebhook, webhookInput, webhookView } from '../../shared/core/events/webhooks/endpoints/view.ts';
import { refuseUnknownIds } from '../../shared/core/limits/budgets/show/refuse-unknown-ids.ts';
import { route } from '../basics/route.ts';

export const createWebhook = route({
  method: 'post',
  path: '/api/v1/webhooks',
  summary: 'Register a webhook',
  description:
    'Each event of the organization that it names is sent to `url` as a POST, signed with `secret`. ' +
    'Attempts: at once, then 30 s, 5 min, 30 min and 2 h after the previous failure.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  body: webhookInput,
  success: { status: 201, description: 'The webhook, without its secret', body: webhookView },
  creates: {
    prefix: 'whk',
    get: async ({ orgId }, id, ctx) => viewWebhook(await getWebhook(ctx, orgId, id)),
  },
  handle: async ({ principal, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    await refuseUnknownIds(ctx, orgId, body.filter);
    return viewWebhook(await create(ctx, orgId, body));
  },
});
