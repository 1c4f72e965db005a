import { z } from 'zod';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { repositoryField } from '../../../shared/core/calls/signals/repository-field.ts';
import { summarizeMerged } from '../../../shared/wings/work/costs/summarize.ts';
import { pullRequestSummaryView } from '../../../shared/wings/work/costs/view.ts';
import { route } from '../../basics/route.ts';
import { listRange, timeOrDate } from '../../schemas/time.ts';

export const summarizePullRequests = route({
  method: 'get',
  path: '/api/v1/pull-requests/summary',
  summary: 'Sum up merged pull requests',
  description:
    'At most 10,000 that were merged in the range. A key that is bound to a user sees its own costs, of those that it has calls on.',
  tag: 'Pull requests',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({
    repository: repositoryField.optional().describe('Filter by base repository'),
    from: timeOrDate
      .optional()
      .describe(
        "Those that were merged at or after this time; a date is its midnight in the organization's timezone",
      ),
    to: timeOrDate.optional().describe('Those that were merged before this time; a date likewise'),
  }),
  success: { status: 200, description: 'Their costs', body: pullRequestSummaryView },
  handle: async ({ principal: { orgId, userId }, query: { repository, from, to } }, ctx) => {
    const filter = { repository, ...(await listRange(ctx, orgId, { from, to })) };
    return summarizeMerged(ctx, await readOrganization(ctx, orgId), { userId, filter });
  },
});
