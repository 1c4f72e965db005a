import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { deleteWebhook as remove } from '../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { planDisowned } from '../../shared/core/limits/budgets/change/decide-owner.ts';
import { route } from '../basics/route.ts';
import { webhookParams } from '../schemas/params.ts';

export const deleteWebhook = route({
  method: 'delete',
  path: '/api/v1/webhooks/{id}',
  summary: 'Delete a webhook',
  description: 'Its deliveries that are not finished are cancelled.',
  tag: 'Webhooks',
  auth: { kind: 'api-key', scope: 'webhooks:write' },
  params: webhookParams,
  success: { status: 204, description: 'It is gone' },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => {
    await remove(ctx, wholeOrganization(principal), params.id, planDisowned);
    return undefined;
  },
});
