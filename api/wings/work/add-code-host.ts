import { addCodeHost as add, getCodeHost } from '../../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import {
  addedCodeHostView,
  codeHostInput,
  viewCodeHost,
} from '../../../shared/wings/work/code-hosts/view.ts';
import { route } from '../../basics/route.ts';

export const addCodeHost = route({
  method: 'post',
  path: '/v1/code-hosts',
  summary: 'Add a code host',
  description: 'For admins. Set its address and secret up at the code host as a webhook.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  body: codeHostInput,
  success: {
    status: 201,
    description: 'The code host; its secret is shown this once',
    body: addedCodeHostView,
  },
  creates: {
    prefix: 'src',
    holdsSecret: true,
    get: async ({ orgId }, id, ctx) => viewCodeHost(ctx.config, await getCodeHost(ctx, orgId, id)),
  },
  errors: ['missing_scope', 'conflict'],
  handle: async ({ principal, body }, ctx) => {
    const { host, secret } = await add(ctx, principal.orgId, body);
    return { ...viewCodeHost(ctx.config, host), secret };
  },
});
