import { z } from 'zod';
import { readBalances } from '../../shared/credits/meter/read-balance.ts';
import { route } from '../basics/route.ts';

const credits = z.int().min(0);
const time = z.int().nullable().describe('Unix seconds');
const period = z.strictObject({ credits, resets_at: time });
const lots = z.strictObject({
  credits,
  lots: z.array(z.strictObject({ credits, expires_at: time })).describe('Next to be spent first'),
});

export const getBalance = route({
  method: 'get',
  path: '/v1/balance',
  summary: 'Read your own credits as they are now',
  description:
    'A window or month that is over counts as full again. A window that has not begun has no end yet.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  priority: 'read',
  success: {
    status: 200,
    description: 'Credits by bucket',
    body: z.strictObject({
      balances: z.strictObject({ window: period, monthly: period, paid: lots, granted: lots }),
      total: credits,
    }),
  },
  errors: ['rebuilding', 'outcome_unknown'],
  handle: async ({ principal }, ctx) => readBalances(ctx, principal.accountId),
});
