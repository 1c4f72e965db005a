import { deletePullRequest as remove } from '../../../shared/wings/work/code-hosts/delete-pull-request.ts';
import { route } from '../../basics/route.ts';
import { pullRequestParams } from '../../schemas/params.ts';

export const deletePullRequest = route({
  method: 'delete',
  path: '/v1/pull-requests/{id}',
  summary: 'Delete a pull request',
  description:
    'For admins, and for one that was reported by mistake. Its calls stay where they were made; a later report makes it anew.',
  tag: 'Pull requests',
  auth: { kind: 'idp', role: 'admin' },
  params: pullRequestParams,
  success: { status: 204, description: 'It is gone' },
  errors: ['missing_scope', 'not_found'],
  handle: async ({ principal, params }, ctx) => {
    await remove(ctx, principal.orgId, params.id);
    return undefined;
  },
});
