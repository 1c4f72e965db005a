import { wholeOrganization } from '../../shared/core/accounts/organizations/reader.ts';
import { createBudget as create } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { budgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import { route } from '../basics/route.ts';
import { changedBudget } from '../schemas/changed-budget.ts';
import { mayNameOwner } from '../schemas/name-owner.ts';
import { writtenBudget } from '../schemas/usage-scope.ts';

export const createBudget = route({
  method: 'post',
  path: '/api/v1/budgets',
  summary: 'Create a budget',
  description:
    'Usage of the open window that was recorded before counts. `budget.warning` is raised at 80 % of the threshold, ' +
    '`budget.exceeded` at all of it, each once per window.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:write' },
  priority: 'ingest',
  body: budgetInput,
  success: { status: 201, description: 'The budget', body: writtenBudget },
  creates: {
    prefix: 'bud',
    get: async (principal, id, ctx) => changedBudget(ctx, principal, id),
  },
  handle: async ({ principal, body }, ctx) => {
    mayNameOwner(principal, body);
    const budget = await create(ctx, wholeOrganization(principal), body);
    return changedBudget(ctx, principal, budget._id);
  },
});
