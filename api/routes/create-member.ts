import { memberInput, memberView, viewMember } from '../../shared/core/accounts/organizations/view.ts';
import { addMember, getMember } from '../../shared/people/members.ts';
import { route } from '../basics/route.ts';

export const createMember = route({
  method: 'post',
  path: '/v1/members',
  summary: 'Invite a member',
  description:
    'For admins. A person who signs in with this verified e-mail is asked, and joins by saying yes.',
  tag: 'Members',
  auth: { kind: 'idp', role: 'admin' },
  body: memberInput,
  success: { status: 201, description: 'The member', body: memberView },
  creates: {
    prefix: 'usr',
    get: async (principal, id, ctx) => viewMember(await getMember(ctx, principal.orgId, id)),
  },
  errors: ['missing_scope', 'conflict'],
  handle: async ({ principal, body }, ctx) =>
    viewMember(await addMember(ctx, { org_id: principal.orgId, ...body })),
});
