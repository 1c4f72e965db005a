import { z } from 'zod';
import { offerTo } from '../../../shared/wings/purchases/begin-checkout.ts';
import { route } from '../../basics/route.ts';

const count = z.int().nullable();

export const getCreditPrice = route({
  method: 'get',
  path: '/v1/credits/price',
  summary: 'Read what a credit costs you',
  description: 'Everything is null while credits cannot be bought.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  success: {
    status: 200,
    description: 'The price',
    body: z.strictObject({
      credit_price_usd: z
        .number()
        .nullable()
        .meta({ examples: [0.02] })
        .describe('The price of one credit in US dollars'),
      least: count.meta({ examples: [25] }).describe('How many can be bought at once, at least'),
      most: count.meta({ examples: [49_999_999] }).describe('How many can be bought at once, at most'),
    }),
  },
  handle: async ({ principal }, ctx) => {
    const offer = await offerTo(ctx, principal.orgId);
    return {
      credit_price_usd: offer?.priceUsd ?? null,
      least: offer?.least ?? null,
      most: offer?.most ?? null,
    };
  },
});
