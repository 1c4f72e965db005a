import { z } from 'zod';
import { listMembers as list } from '../../shared/core/accounts/organizations/list-members.ts';
import { listedMemberView, viewMember } from '../../shared/core/accounts/organizations/view.ts';
import { readLastActivity } from '../../shared/core/calls/sessions/last-activity.ts';
import { unixSeconds } from '../../shared/platform/basics/clock.ts';
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
    body: z.strictObject({ data: z.array(listedMemberView) }),
    list: 'data',
  },
  errors: ['missing_scope'],
  handle: async ({ principal: { orgId } }, ctx) => {
    const members = await list(ctx, orgId);
    const ids = members.map(({ user_id }) => user_id);
    const active = await readLastActivity(ctx, orgId, ids);
    const data = members.map((member) => {
      const at = active.get(member.user_id);
      return { ...viewMember(member), last_signal_at: at ? unixSeconds(at) : null };
    });
    return { data };
  },
});
