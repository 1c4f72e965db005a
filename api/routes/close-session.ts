import { closeSession as close } from '../../shared/core/calls/ingest/end-session.ts';
import { viewListedSession } from '../../shared/core/calls/sessions/view.ts';
import { route } from '../basics/route.ts';
import { sessionParams } from '../schemas/params.ts';
import { writtenSession, writtenSessionFor } from '../schemas/usage-scope.ts';

export const closeSession = route({
  method: 'post',
  path: '/api/v1/sessions/{id}/close',
  summary: 'End a session now',
  description:
    'Repeating it changes nothing. A later signal of the same user, project and adapter begins a new session.',
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'signals:write' },
  priority: 'ingest',
  params: sessionParams,
  success: { status: 200, description: 'The ended session', body: writtenSession },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) =>
    writtenSessionFor(principal, viewListedSession(await close(ctx, principal, params.id))),
});
