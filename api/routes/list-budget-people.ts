import { z } from 'zod';
import { listPeople, personView } from '../../shared/core/limits/enforcement/reserve/show-people.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';
import { budgetParams } from '../schemas/params.ts';

export const listBudgetPeople = route({
  method: 'get',
  path: '/api/v1/budgets/{id}/people',
  summary: 'List the people of a template',
  description:
    'Whoever has usage, a reservation, a raise or an exception in the open window, by falling `utilization_pct`. A credential ' +
    'that is bound to a user gets that user alone.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: budgetParams,
  query: z.strictObject({
    limit: pageQuery.limit,
    cursor: pageQuery.cursor,
    user_id: text(256).optional().describe('Only this person'),
    state: z.enum(['ok', 'warning', 'exceeded']).optional().describe('Only people in this state'),
  }),
  success: { status: 200, description: 'A page of people', body: pageOf(personView) },
  errors: ['not_found', 'conflict', 'invalid_cursor'],
  handle: async ({ principal, params, query }, ctx) => {
    const { user_id, state } = query;
    const scope = ['people', principal.orgId, principal.userId, params.id, user_id ?? null, state ?? null];
    return answerPage(
      ctx,
      scope,
      { ...query, order: 'desc' },
      (page) => listPeople(ctx, principal, params.id, { filter: { user_id, state }, page }),
      (view) => view,
    );
  },
});
