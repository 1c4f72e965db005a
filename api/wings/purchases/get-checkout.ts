import { z } from 'zod';
import { text } from '../../../shared/platform/basics/text.ts';
import { hasArrived } from '../../../shared/wings/purchases/begin-checkout.ts';
import { route } from '../../basics/route.ts';

export const getCheckout = route({
  method: 'get',
  path: '/v1/credits/checkout/{id}',
  summary: 'Read whether the credits that you bought have arrived',
  description:
    'Ask again until they have: Stripe reports a payment within seconds, a bank transfer within days. A Checkout ' +
    'Session that is not yours never arrives here.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  params: z.strictObject({
    id: text(128)
      .meta({ examples: ['cs_live_a1'] })
      .describe('The Checkout Session: what Stripe puts in place of `{CHECKOUT_SESSION_ID}`'),
  }),
  success: {
    status: 200,
    description: 'The state of the purchase',
    body: z.strictObject({
      arrived: z
        .boolean()
        .meta({ examples: [true] })
        .describe('True when the credits are in your ledger'),
    }),
  },
  errors: ['rebuilding', 'outcome_unknown'],
  handle: async ({ principal, params }, ctx) => ({
    arrived: await hasArrived(ctx, principal.accountId, params.id),
  }),
});
