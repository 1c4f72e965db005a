import { evaluateDue } from '../shared/budgets/evaluate-due.ts';
import type { JobHandler } from './job-handler.ts';

/** Looks at all budgets of an organization whose usage has changed. */
export const evaluateBudgets: JobHandler<'evaluate-budgets'> = {
  queue: 'evaluate-budgets',
  concurrency: 4,
  handle: async ({ org_id }, ctx) => {
    await evaluateDue(ctx, org_id);
    return undefined;
  },
};
