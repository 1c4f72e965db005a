import { z } from 'zod';
import { BUDGET_METRICS } from '../../../shared/core/limits/budgets/rules/model.ts';
import { RAISE_STATES } from '../../../shared/wings/raises/model.ts';
import type { EventDocuments } from '../../hooks/wing.ts';

const raise = z.strictObject({
  raise_id: z.string(),
  budget_id: z.string(),
  budget_name: z.string(),
  user_id: z.string(),
  amount: z.number().describe('Granted where it was approved, else asked for; in the unit of the metric'),
  metric: z.enum(BUDGET_METRICS),
  status: z.enum(RAISE_STATES),
  ends_at: z.string().nullable(),
  link: z.string().describe('The page of the raise. It holds no credential: only a signed-in admin answers'),
});

export const events: EventDocuments = {
  'budget.raise_requested': { summary: 'Somebody asks for more of a budget', data: raise },
  'budget.raise_answered': {
    summary: 'An admin has answered such a request, or ended what was approved',
    data: raise,
  },
};
