import { z } from 'zod';
import { listMembers as list } from '../../shared/organizations/members.ts';
import { memberView, viewMember } from '../../shared/organizations/view.ts';
import { requireAdmin } from '../require-admin.ts';
import { route } from '../route.ts';

export const listMembersRoute = route({
  method: 'get',
  path: '/v1/members',
  summary: "List the organization's members",
  description: 'For admins. By user id; removed members are not among them.',
  tag: 'Organization',
  auth: { kind: 'idp' },
  priority: 'read',
  success: { status: 200, description: 'The members', body: z.strictObject({ data: z.array(memberView) }) },
  errors: ['missing_scope'],
  handle: async ({ principal }, ctx) => ({
    data: (await list(ctx, requireAdmin(principal))).map(viewMember),
  }),
});
