import { z } from 'zod';
import { listCodeHosts as list } from '../../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { codeHostView, viewCodeHost } from '../../../shared/wings/work/code-hosts/view.ts';
import { route } from '../../basics/route.ts';

export const listCodeHosts = route({
  method: 'get',
  path: '/v1/code-hosts',
  summary: 'List code hosts',
  description: 'For admins.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  success: {
    status: 200,
    description: 'All code hosts, oldest first, without their secrets',
    body: z.strictObject({ data: z.array(codeHostView) }),
  },
  errors: ['missing_scope'],
  handle: async ({ principal }, ctx) => {
    const hosts = await list(ctx, principal.orgId);
    return { data: hosts.map((host) => viewCodeHost(ctx.config, host)) };
  },
});
