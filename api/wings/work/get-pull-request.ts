import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { readPullRequest } from '../../../shared/wings/work/costs/read-pull-request.ts';
import { pullRequestDetailView } from '../../../shared/wings/work/costs/view.ts';
import { route } from '../../basics/route.ts';
import { pullRequestParams } from '../../schemas/params.ts';

export const getPullRequest = route({
  method: 'get',
  path: '/api/v1/pull-requests/{id}',
  summary: 'Read a pull request and what its cost is for',
  description:
    'A key that is bound to a user sees its own costs, and only pull requests that it has calls on.',
  tag: 'Pull requests',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: pullRequestParams,
  success: { status: 200, description: 'The pull request', body: pullRequestDetailView },
  errors: ['not_found'],
  handle: async ({ principal: { orgId, userId }, params: { id } }, ctx) =>
    readPullRequest(ctx, await readOrganization(ctx, orgId), { userId, id }),
});
