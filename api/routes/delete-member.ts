import { removeMember as remove } from '../../shared/people/remove-member.ts';
import { route } from '../basics/route.ts';
import { madeQuery, memberParams } from '../schemas/params.ts';

export const deleteMember = route({
  method: 'delete',
  path: '/v1/members/{user_id}',
  summary: 'Remove a member',
  description:
    'For admins. Name, e-mail and identity are erased, devices and bound keys revoked; what was recorded stays. ' +
    'A person who made what goes on without them, other keys or webhooks for example, is removed with `revoke_made`.',
  tag: 'Members',
  auth: { kind: 'idp', role: 'admin' },
  params: memberParams,
  query: madeQuery,
  success: { status: 204, description: 'Gone' },
  errors: ['missing_scope', 'not_found', 'conflict', 'revoke_made_needed', 'outcome_unknown'],
  handle: async ({ principal, params, query }, ctx) => {
    const removal = { keepsAnAdmin: true, revokeMade: query.revoke_made };
    await remove(ctx, principal.orgId, params.user_id, removal);
    return undefined;
  },
});
