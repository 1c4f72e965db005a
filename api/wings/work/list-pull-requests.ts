import { z } from 'zod';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { repositoryField } from '../../../shared/core/calls/signals/repository-field.ts';
import { listPullRequests as list } from '../../../shared/wings/work/costs/list-pull-requests.ts';
import { PULL_REQUEST_SORTS, rankPullRequests } from '../../../shared/wings/work/costs/rank-pull-requests.ts';
import { costedPullRequestView } from '../../../shared/wings/work/costs/view.ts';
import { PULL_REQUEST_STATES } from '../../../shared/wings/work/pull-requests/report.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../../schemas/page.ts';
import { listRange, timeOrDate } from '../../schemas/time.ts';

export const listPullRequests = route({
  method: 'get',
  path: '/api/v1/pull-requests',
  summary: 'List pull requests with their costs',
  description:
    'By `opened_at`, or by cost. A key that is bound to a user sees its own costs, of the newest 1,000 pull requests that it has calls on.',
  tag: 'Pull requests',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({
    repository: repositoryField.optional().describe('Filter by base repository'),
    number: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1 on')
      .transform(Number)
      .optional()
      .meta({ documentedAs: { type: 'integer', minimum: 1 }, examples: ['12'] })
      .describe('Filter by number'),
    state: z.enum(PULL_REQUEST_STATES).optional().describe('Filter by state'),
    from: timeOrDate
      .optional()
      .describe(
        "Those that were opened at or after this time; a date is its midnight in the organization's timezone",
      ),
    to: timeOrDate.optional().describe('Those that were opened before this time; a date likewise'),
    sort: z.enum(PULL_REQUEST_SORTS).default('opened_at').describe('The order'),
    calls_from: timeOrDate
      .optional()
      .describe(
        'Those with calls at or after this time; with `calls_from` or `calls_to` figures are of that time alone. Default: 30 days before `calls_to`',
      ),
    calls_to: timeOrDate.optional().describe('Those with calls before this time; default: now'),
    ...pageQuery,
  }),
  success: {
    status: 200,
    description: 'A page of pull requests',
    body: pageOf(costedPullRequestView),
  },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { orgId, userId } = principal;
    const { repository, number, state, from, to, sort, calls_from, calls_to } = query;
    const filter = { repository, number, state, ...(await listRange(ctx, orgId, { from, to })) };
    const organization = await readOrganization(ctx, orgId);
    const hasCalls = calls_from !== undefined || calls_to !== undefined;
    const calls = hasCalls ? await listRange(ctx, orgId, { from: calls_from, to: calls_to }) : null;
    const isRanked = sort === 'cost_usd' || calls !== null;
    const asked = { userId, filter };
    return answerPage(
      ctx,
      ['pull-requests', orgId, userId, filter, ...(isRanked ? [sort, calls] : [])],
      query,
      (page) =>
        isRanked
          ? rankPullRequests(ctx, organization, { ...asked, ranking: { sort, calls } }, page)
          : list(ctx, organization, asked, page),
      (row) => row,
    );
  },
});
