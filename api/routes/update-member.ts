import { memberChange, memberView, viewMember } from '../../shared/core/accounts/organizations/view.ts';
import { changeMember as change } from '../../shared/people/change-member.ts';
import { route } from '../basics/route.ts';
import { madeQuery, memberParams } from '../schemas/params.ts';

export const updateMember = route({
  method: 'patch',
  path: '/v1/members/{user_id}',
  summary: 'Change a member',
  description:
    'For admins. Omitted fields keep their value. `email`, also the same one, renews an invitation. ' +
    'An admin who made what goes on without them, keys or webhooks for example, becomes a member with `revoke_made`.',
  tag: 'Members',
  auth: { kind: 'idp', role: 'admin' },
  params: memberParams,
  query: madeQuery,
  body: memberChange,
  success: { status: 200, description: 'The member', body: memberView },
  errors: ['missing_scope', 'not_found', 'conflict', 'revoke_made_needed'],
  handle: async ({ principal, params, query, body }, ctx) =>
    viewMember(await change(ctx, principal.orgId, params.user_id, body, { revokeMade: query.revoke_made })),
});
