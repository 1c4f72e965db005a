import { z } from 'zod';
import { budgetWindowView, readBudgetWindows } from '../../shared/core/limits/budgets/show/read-history.ts';
import { route } from '../basics/route.ts';
import { budgetParams } from '../schemas/params.ts';

const WINDOWS = { default: 12, max: 120 } as const;

export const listBudgetWindows = route({
  method: 'get',
  path: '/api/v1/budgets/{id}/windows',
  summary: 'Read the windows of a budget',
  description:
    'Newest first, the open one among them. A window is deleted 40 days after its end; those of monthly and quarterly budgets stay, ' +
    'but not those of templates.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: budgetParams,
  query: z.strictObject({
    limit: z
      .string()
      .regex(/^[0-9]{1,3}$/, 'must be a whole number')
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= WINDOWS.max, `must be 1..${WINDOWS.max}`)
      .default(WINDOWS.default)
      .meta({
        description: 'How many',
        documentedAs: { type: 'integer', minimum: 1, maximum: WINDOWS.max, default: WINDOWS.default },
      }),
  }),
  success: {
    status: 200,
    description: 'The windows',
    body: z.strictObject({ data: z.array(budgetWindowView) }),
  },
  errors: ['not_found'],
  handle: async ({ principal, params, query }, ctx) => ({
    data: await readBudgetWindows(ctx, principal, params.id, query.limit),
  }),
});
