import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { describeWebhook } from '../../shared/core/events/webhooks/deliveries/list-webhooks.ts';
import { viewWebhookInFull, webhookInFullView } from '../../shared/core/events/webhooks/deliveries/view.ts';
import { updateWebhook as update } from '../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import { webhookChange } from '../../shared/core/events/webhooks/endpoints/view.ts';
import { refuseUnknownIds } from '../../shared/core/limits/budgets/show/refuse-unknown-ids.ts';
import { route } from '../basics/route.ts';
import { webhookParams } from '../schemas/params.ts';

export const updateWebhook = route({
  method: 'patch',
  path: '/api/v1/webhooks/{id}',
  summary: 'Change a webhook',
  description:
    'Omitted fields keep their value. `events` applies to events that are raised from then on. A new `secret` signs at once; for 24 hours ' +
    '`webhook-signature` carries the signature of the former one too. `enabled: false` holds its deliveries, `true` sends ' +
    'what was held in order. It does not end `failing`.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  params: webhookParams,
  body: webhookChange,
  success: { status: 200, description: 'The changed webhook', body: webhookInFullView },
  errors: ['not_found'],
  handle: async ({ principal, params, body }, ctx) => {
    const orgId = wholeOrganization(principal);
    await refuseUnknownIds(ctx, orgId, body.filter);
    await update(ctx, orgId, params.id, body);
    return viewWebhookInFull(await describeWebhook(ctx, orgId, params.id), ctx.clock.now());
  },
});
