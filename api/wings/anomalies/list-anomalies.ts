import { z } from 'zod';
import { narrowToReader } from '../../../shared/core/accounts/organizations/reader.ts';
import { ANOMALY_TYPES } from '../../../shared/platform/basics/contract.ts';
import { text } from '../../../shared/platform/basics/text.ts';
import {
  listAnomalies as list,
  listedAnomalyView,
  viewListedAnomaly,
} from '../../../shared/wings/anomalies/list-anomalies.ts';
import { ANOMALY_STATES } from '../../../shared/wings/anomalies/model.ts';
import { route } from '../../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../../schemas/page.ts';
import { listRange, timeOrDate } from '../../schemas/time.ts';

export const listAnomalies = route({
  method: 'get',
  path: '/api/v1/anomalies',
  summary: 'List anomalies',
  tag: 'Anomalies',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({
    user_id: text(256).optional().describe('Filter by user'),
    session_id: text(128).optional().describe('Filter by session'),
    anomaly_type: z.enum(ANOMALY_TYPES).optional().describe('Filter by type'),
    state: z.enum(ANOMALY_STATES).optional().describe('Filter by state'),
    from: timeOrDate
      .optional()
      .describe("Detected at or after this time; a date is its midnight in the organization's timezone"),
    to: timeOrDate.optional().describe('Detected before this time; a date likewise'),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of anomalies, newest first', body: pageOf(listedAnomalyView) },
  errors: ['invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { limit: _limit, cursor: _cursor, order: _order, from, to, ...equal } = query;
    const filter = { ...equal, ...(await listRange(ctx, principal.orgId, { from, to })) };
    const visible = narrowToReader(principal, filter);
    return answerPage(
      ctx,
      ['anomalies', principal.orgId, principal.userId, filter],
      query,
      (page) => list(ctx, principal.orgId, visible, page),
      (anomaly) => viewListedAnomaly(anomaly, principal),
    );
  },
});
