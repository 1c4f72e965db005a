import { z } from 'zod';
import { dashboardUrl } from '../../../shared/platform/basics/config.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { beginCheckout as begin } from '../../../shared/wings/purchases/begin-checkout.ts';
import { route } from '../../basics/route.ts';

export const beginCheckout = route({
  method: 'post',
  path: '/v1/credits/checkout',
  summary: 'Buy credits: get the page at Stripe where you pay',
  description:
    'The credits arrive in the bucket `paid` as soon as Stripe says that they are paid. `not_ready`: buying is not set up ' +
    'here, or the plan of your organization has no price. A repeat with the same `Idempotency-Key` gets the same page.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  creates: {
    prefix: 'chk',
    // The page is Stripe's: its own idempotency finds it again.
    get: async () => {
      throw new DomainError('not_found', 'Checkout Sessions are not kept here.');
    },
  },
  body: z.strictObject({ credits: z.int().min(1).max(1_000_000_000).describe('How many credits to buy') }),
  success: {
    status: 200,
    description: 'The page',
    body: z.strictObject({
      url: z
        .string()
        .meta({ examples: ['https://checkout.stripe.com/c/pay/cs_live_a1'] })
        .describe('Where the person pays, within 24 hours'),
    }),
  },
  errors: ['conflict', 'not_ready', 'payments_unavailable'],
  handle: async ({ principal, body }, ctx) => ({
    url: await begin(ctx, principal, { credits: body.credits, pageUrl: dashboardUrl(ctx.config, 'credits') }),
  }),
});
