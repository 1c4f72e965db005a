import { z } from 'zod';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { repositoryField } from '../../../shared/core/calls/signals/repository-field.ts';
import { costedBranchView, rankBranches } from '../../../shared/wings/work/costs/rank-branches.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../../schemas/page.ts';
import { listRange, timeOrDate } from '../../schemas/time.ts';

export const listBranches = route({
  method: 'get',
  path: '/api/v1/branches',
  summary: 'List branches with the costs of their calls in a time',
  description:
    'By cost, most expensive first. A key that is bound to a user sees its own costs, of branches that it has calls on.',
  tag: 'Pull requests',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({
    repository: repositoryField.optional().describe('Filter by repository'),
    calls_from: timeOrDate
      .optional()
      .describe('Calls at or after this time. Default: 30 days before `calls_to`'),
    calls_to: timeOrDate.optional().describe('Calls before this time; default: now'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of branches', body: pageOf(costedBranchView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal: { orgId, userId }, query }, ctx) => {
    const { repository, calls_from, calls_to } = query;
    const organization = await readOrganization(ctx, orgId);
    const calls = await listRange(ctx, orgId, { from: calls_from, to: calls_to });
    return answerPage(
      ctx,
      ['branches', orgId, userId, repository, calls],
      query,
      (page) => rankBranches(ctx, organization, { userId, repository, calls }, page),
      (row) => row,
    );
  },
});
