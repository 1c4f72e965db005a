import { z } from 'zod';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { route } from '../basics/route.ts';
import { balance } from '../schemas/balance.ts';

export const getBalance = route({
  method: 'get',
  path: '/v1/balance',
  summary: 'Read your own credits as they are now',
  description:
    'A window or month that is over counts as full again. A window that has not begun has no end yet.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  success: {
    status: 200,
    description: 'Credits by bucket',
    body: z.strictObject(balance),
  },
  errors: ['rebuilding', 'outcome_unknown'],
  handle: async ({ principal }, ctx) => readBalances(ctx, principal.accountId),
});
