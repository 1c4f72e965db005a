import { breakDown, breakdownView } from '../../shared/core/calls/sessions/break-down.ts';
import { readSession } from '../../shared/core/calls/sessions/read-session.ts';
import { route } from '../basics/route.ts';
import { sessionParams } from '../schemas/params.ts';

export const breakDownSession = route({
  method: 'get',
  path: '/api/v1/sessions/{id}/breakdown',
  summary: 'Read where the cost of a session went',
  description:
    'By part of a call, by tool and by model. Each of the three sums to `cost` to the nanodollar. A computed cost is split by ' +
    "the price list's rates, a reported one in the proportion of its list price.",
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  params: sessionParams,
  success: { status: 200, description: 'The cost of the session, in parts', body: breakdownView },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) => breakDown(ctx, await readSession(ctx, principal, params.id)),
});
