import { z } from 'zod';
import { listInterventions as list, readSession } from '../../shared/core/calls/sessions/read-session.ts';
import { interventionView, viewIntervention } from '../../shared/core/calls/signals/view.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';
import { sessionParams } from '../schemas/params.ts';

export const listInterventions = route({
  method: 'get',
  path: '/api/v1/sessions/{id}/interventions',
  summary: "List a session's interventions",
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: sessionParams,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of interventions', body: pageOf(interventionView) },
  errors: ['not_found', 'invalid_cursor'],
  handle: async ({ principal, params, query }, ctx) => {
    const session = await readSession(ctx, principal, params.id);
    return answerPage(
      ctx,
      ['interventions', session._id],
      query,
      (page) => list(ctx, session, page),
      viewIntervention,
    );
  },
});
