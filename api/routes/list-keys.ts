import { z } from 'zod';
import { listKeys as list } from '../../shared/keys/manage-keys.ts';
import { keyView, viewKey } from '../../shared/keys/view.ts';
import { route } from '../basics/route.ts';

export const listKeys = route({
  method: 'get',
  path: '/v1/keys',
  summary: 'List API keys',
  description: "An admin sees the organization's, a member those bound to the own user. Revoked ones too.",
  tag: 'Keys',
  auth: { kind: 'idp' },
  priority: 'read',
  success: {
    status: 200,
    description: 'Keys, oldest first, never the key itself',
    body: z.strictObject({ data: z.array(keyView) }),
    list: 'data',
  },
  handle: async ({ principal }, ctx) => ({ data: (await list(ctx, principal)).map(viewKey) }),
});
