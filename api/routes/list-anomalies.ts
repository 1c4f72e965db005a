import { z } from 'zod';
import { anomalyView, listAnomalies as list, viewAnomaly } from '../../shared/anomalies/list-anomalies.ts';
import { ANOMALY_TYPES } from '../../shared/anomalies/model.ts';
import { text } from '../../shared/text.ts';
import { makeCursor, openCursor, pageOf, pageQuery } from '../page.ts';
import { route } from '../route.ts';
import { time } from '../time.ts';

export const listAnomalies = route({
  method: 'get',
  path: '/api/v1/anomalies',
  summary: 'List anomalies',
  tag: 'Anomalies',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  query: z.strictObject({
    user_id: text(256).optional().describe('Filter by user'),
    session_id: text(128).optional().describe('Filter by session'),
    anomaly_type: z.enum(ANOMALY_TYPES).optional().describe('Filter by type'),
    from: time.optional().describe('Detected at or after this time'),
    to: time.optional().describe('Detected before this time'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of anomalies, newest first', body: pageOf(anomalyView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit, cursor, order, from: fromMs, to: toMs, ...equal } = query;
    const filter = { ...equal, fromMs, toMs };
    const scope = ['anomalies', principal.orgId, principal.userId, order, filter];
    const state = openCursor(ctx, scope, cursor);
    if (principal.userId !== null && filter.user_id !== undefined && filter.user_id !== principal.userId) {
      // A bound key sees its own user: of another there is nothing.
      return { data: [], cursor: makeCursor(ctx, scope, null, 0), has_more: false, total: 0 };
    }
    const visible = principal.userId === null ? filter : { ...filter, user_id: principal.userId };
    const page = await list(ctx, principal.orgId, visible, { order, limit, ...state });
    return {
      data: page.rows.map(viewAnomaly),
      cursor: makeCursor(ctx, scope, page.last, page.total),
      has_more: page.hasMore,
      total: page.total,
    };
  },
});
