import { z } from 'zod';
import {
  expectSignature,
  OUTCOMES,
  takeStripeEvent as take,
} from '../../../shared/wings/purchases/take-stripe-event.ts';
import { route } from '../../basics/route.ts';

export const takeStripeEvent = route({
  method: 'post',
  path: '/integrations/stripe/webhook',
  summary: 'Receive events of Stripe',
  description:
    'For Stripe alone, which signs each event. `checkout.session.completed` and ' +
    '`checkout.session.async_payment_succeeded` of a paid Checkout Session grant its credits, once per session. ' +
    'Anything but a 2xx makes Stripe send the event again.',
  tag: 'Operations',
  auth: { kind: 'none' },
  priority: 'ingest',
  takesBytes: 'json',
  // Without a credential that could be checked first, strangers would have every body read.
  bodyBytes: 262_144,
  refuseByHeaders: (header, ctx) => void expectSignature(ctx, header('stripe-signature') ?? ''),
  requestHeaders: {
    'Stripe-Signature': {
      description: 'The time and the HMAC-SHA256 of time and body, with the secret of the webhook endpoint',
      example: `t=1767225600,v1=${'5f'.repeat(32)}`,
      isRequired: true,
    },
  },
  success: {
    status: 200,
    description: 'Outcome of the event',
    body: z.strictObject({
      outcome: z
        .enum(OUTCOMES)
        .meta({ examples: ['granted'] })
        .describe('`refused`: it was paid, and the operator has to look'),
    }),
  },
  errors: ['invalid_signature', 'conflict', 'not_ready', 'rebuilding'],
  handle: async ({ request }, ctx) => {
    if (request.bytes === null) throw new Error('A route that takes bytes was served without them');
    const signature = request.header('stripe-signature') ?? '';
    return { outcome: await take(ctx, { body: request.bytes.body, signature }) };
  },
});
