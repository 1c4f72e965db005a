import { changeMember as change } from '../../shared/administration/change-member.ts';
import { memberChange, memberView, viewMember } from '../../shared/organizations/view.ts';
import { requireAdmin } from '../auth/own-organization.ts';
import { route } from '../basics/route.ts';
import { memberParams } from '../schemas/params.ts';

export const updateMember = route({
  method: 'patch',
  path: '/v1/members/{user_id}',
  summary: 'Change a member',
  description: 'For admins. What is left out stays. `email`, also the same one, renews an invitation.',
  tag: 'Members',
  auth: { kind: 'idp' },
  priority: 'read',
  params: memberParams,
  body: memberChange,
  success: { status: 200, description: 'The member', body: memberView },
  errors: ['missing_scope', 'not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) =>
    viewMember(await change(ctx, requireAdmin(principal), params.user_id, body)),
});
