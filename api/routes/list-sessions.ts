import { z } from 'zod';
import { readOrganization } from '../../shared/organizations/read-organization.ts';
import { narrowToReader } from '../../shared/organizations/reader.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { listSessions as list } from '../../shared/sessions/list-sessions.ts';
import { sessionView, viewSession } from '../../shared/sessions/view.ts';
import { countSessions } from '../../shared/usage/count-sessions.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';
import { listRange, timeOrDate } from '../schemas/time.ts';

export const listSessions = route({
  method: 'get',
  path: '/api/v1/sessions',
  summary: 'List sessions',
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({
    user_id: text(256).optional().describe('Filter by user'),
    project_id: text(256).optional().describe('Filter by project'),
    model: text(256).optional().describe('Filter by primary model, exactly'),
    adapter: text(128).optional().describe('Filter by adapter'),
    from: timeOrDate
      .optional()
      .describe(
        "Sessions that started at or after this time; a date is its midnight in the organization's timezone",
      ),
    to: timeOrDate.optional().describe('Sessions that started before this time; a date likewise'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of sessions', body: pageOf(sessionView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit: _limit, cursor: _cursor, order: _order, from, to, ...equal } = query;
    const filter = { ...equal, ...(await listRange(ctx, principal.orgId, { from, to })) };
    const visible = narrowToReader(principal, filter);
    const count = async () => countSessions(ctx, await readOrganization(ctx, principal.orgId), visible);
    return answerPage(
      ctx,
      ['sessions', principal.orgId, principal.userId, filter],
      query,
      (page) => list(ctx, principal.orgId, visible, { ...page, total: page.total ?? count }),
      viewSession,
    );
  },
});
