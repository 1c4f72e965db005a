import { z } from 'zod';
import { listKeys as list } from '../../shared/core/accounts/keys/manage-keys.ts';
import { keyView, viewKey } from '../../shared/core/accounts/keys/view.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';

export const listKeys = route({
  method: 'get',
  path: '/v1/keys',
  summary: 'List API keys',
  description:
    "An admin sees the organization's, a member only those bound to that member. Revoked and expired ones are listed for 30 days.",
  tag: 'Keys',
  auth: { kind: 'idp' },
  query: z.strictObject({
    ...pageQuery,
    user_id: text(256).optional().describe('Keys that are bound to this user'),
  }),
  success: {
    status: 200,
    description: 'A page of keys, newest first, never the key itself',
    body: pageOf(keyView),
  },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) =>
    answerPage(
      ctx,
      ['keys', principal.orgId, principal.userId, principal.role, query.user_id],
      query,
      (page) => list(ctx, principal, { userId: query.user_id }, page),
      viewKey,
    ),
});
