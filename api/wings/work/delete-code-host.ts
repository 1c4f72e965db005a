import { deleteCodeHost as remove } from '../../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { route } from '../../basics/route.ts';
import { codeHostParams } from '../../schemas/params.ts';

export const deleteCodeHost = route({
  method: 'delete',
  path: '/v1/code-hosts/{id}',
  summary: 'Delete a code host',
  description: 'For admins. Its events are refused from then on; the pull requests that it reported stay.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  params: codeHostParams,
  success: { status: 204, description: 'It is gone' },
  errors: ['missing_scope', 'not_found'],
  handle: async ({ principal, params }, ctx) => {
    await remove(ctx, principal.orgId, params.id);
    return undefined;
  },
});
