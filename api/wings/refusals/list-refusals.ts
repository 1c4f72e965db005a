import { z } from 'zod';
import { text } from '../../../shared/platform/basics/text.ts';
import { listRefusals as list } from '../../../shared/wings/refusals/list-refusals.ts';
import { refusalView, viewRefusal } from '../../../shared/wings/refusals/view.ts';
import { route } from '../../basics/route.ts';
import { answerLongPage, longPageOf, pageQuery } from '../../schemas/page.ts';
import { listRange, timeOrDate } from '../../schemas/time.ts';

export const listRefusals = route({
  method: 'get',
  path: '/api/v1/refusals',
  summary: 'List refused calls',
  description:
    'Calls that a `hard` budget refused, counted by person, budget, adapter, way, cause and minute. A credential that is bound ' +
    'to a user sees those of that user. Other processes add theirs every two seconds.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({
    user_id: text(256).optional().describe('Filter by person'),
    budget_id: text(128).optional().describe('Filter by budget'),
    from: timeOrDate
      .optional()
      .describe("Refused at or after this time; a date is its midnight in the organization's timezone"),
    to: timeOrDate.optional().describe('Refused before this time; a date likewise'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of refusals, newest first', body: longPageOf(refusalView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit: _limit, cursor: _cursor, order: _order, from, to, ...equal } = query;
    const filter = { ...equal, ...(await listRange(ctx, principal.orgId, { from, to })) };
    return answerLongPage(
      ctx,
      ['refusals', principal.orgId, principal.userId, filter],
      query,
      (page) => list(ctx, principal, filter, page),
      ({ row, budget }) => viewRefusal(row, budget, principal),
    );
  },
});
