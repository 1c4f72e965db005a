import { z } from 'zod';
import { listSessions as list } from '../../shared/sessions/list-sessions.ts';
import { sessionView, viewSession } from '../../shared/sessions/view.ts';
import { text } from '../../shared/text.ts';
import { makeCursor, openCursor, pageOf, pageQuery } from '../page.ts';
import { route } from '../route.ts';
import { time } from '../time.ts';

export const listSessions = route({
  method: 'get',
  path: '/api/v1/sessions',
  summary: 'List sessions',
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  query: z.strictObject({
    user_id: text(256).optional().describe('Filter by user'),
    project_id: text(256).optional().describe('Filter by project'),
    model: text(256).optional().describe('Filter by primary model, exactly'),
    adapter: text(128).optional().describe('Filter by adapter'),
    from: time.optional().describe('Sessions that started at or after this time'),
    to: time.optional().describe('Sessions that started before this time'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of sessions', body: pageOf(sessionView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit, cursor, order, from: fromMs, to: toMs, ...equal } = query;
    const filter = { ...equal, fromMs, toMs };
    const scope = ['sessions', principal.orgId, principal.userId, order, filter];
    const state = openCursor(ctx, scope, cursor);
    if (principal.userId !== null && filter.user_id !== undefined && filter.user_id !== principal.userId) {
      // A bound key sees its own user: of another there is nothing.
      return { data: [], cursor: makeCursor(ctx, scope, null, 0), has_more: false, total: 0 };
    }
    const visible = principal.userId === null ? filter : { ...filter, user_id: principal.userId };
    const page = await list(ctx, principal.orgId, visible, { order, limit, ...state });
    return {
      data: page.rows.map(viewSession),
      cursor: makeCursor(ctx, scope, page.last, page.total),
      has_more: page.hasMore,
      total: page.total,
    };
  },
});
