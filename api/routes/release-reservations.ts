import { z } from 'zod';
import { releaseInBudget } from '../../shared/core/limits/enforcement/reserve/release.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';
import { budgetParams } from '../schemas/params.ts';

export const releaseReservations = route({
  method: 'post',
  path: '/v1/budgets/{id}/release-reservations',
  summary: 'End the reservations of a budget',
  description:
    'For admins. Ends every open reservation that holds something in this budget, or those of one user or one API key. A ' +
    'reservation ends in all budgets that it holds something in. The cost of its call still counts once it is reported.',
  tag: 'Budgets',
  auth: { kind: 'idp', role: 'admin' },
  params: budgetParams,
  body: z.strictObject({
    user_id: text(256).optional().describe('Only those for calls of this user'),
    key_id: text(128).optional().describe('Only those that this API key made'),
  }),
  success: {
    status: 200,
    description: 'How many were open',
    body: z.strictObject({ released: z.int() }),
  },
  errors: ['missing_scope', 'not_found', 'rebuilding'],
  handle: async ({ principal, params, body }, ctx) => ({
    released: await releaseInBudget(ctx, principal.orgId, params.id, body),
  }),
});
