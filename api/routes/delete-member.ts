import { removeMember as remove } from '../../shared/administration/members.ts';
import { requireAdmin } from '../auth/own-organization.ts';
import { route } from '../basics/route.ts';
import { memberParams } from '../schemas/params.ts';

export const deleteMember = route({
  method: 'delete',
  path: '/v1/members/{user_id}',
  summary: 'Remove a member',
  description:
    'For admins. Name, e-mail and identity are erased, devices and bound keys revoked; what was recorded stays.',
  tag: 'Members',
  auth: { kind: 'idp' },
  priority: 'read',
  params: memberParams,
  success: { status: 204, description: 'Gone' },
  errors: ['missing_scope', 'not_found', 'conflict'],
  handle: async ({ principal, params }, ctx) => {
    await remove(ctx, requireAdmin(principal), params.user_id, { keepsAnAdmin: true });
    return undefined;
  },
});
