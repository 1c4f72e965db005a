import { z } from 'zod';
import { listMembers as list } from '../../shared/administration/members.ts';
import { memberView, viewMember } from '../../shared/organizations/view.ts';
import { route } from '../basics/route.ts';

export const listMembers = route({
  method: 'get',
  path: '/v1/members',
  summary: "List the organization's members",
  description: 'For admins. By user id; removed members are not among them.',
  tag: 'Members',
  auth: { kind: 'idp', role: 'admin' },
  success: {
    status: 200,
    description: 'The members',
    body: z.strictObject({ data: z.array(memberView) }),
    list: 'data',
  },
  errors: ['missing_scope'],
  handle: async ({ principal }, ctx) => ({
    data: (await list(ctx, principal.orgId)).map(viewMember),
  }),
});
