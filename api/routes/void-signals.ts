import { z } from 'zod';
import { voidSignals as voidAll } from '../../shared/core/calls/ingest/void-signals.ts';
import { viewListedSession } from '../../shared/core/calls/sessions/view.ts';
import { ID_LENGTH } from '../../shared/core/calls/signals/input.ts';
import { CORRECTED_PER_REQUEST } from '../../shared/platform/basics/contract.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';
import { sessionParams, uniqueIds } from '../schemas/params.ts';
import { writtenSession, writtenSessionFor } from '../schemas/usage-scope.ts';

export const voidSignals = route({
  method: 'post',
  path: '/api/v1/sessions/{id}/void',
  summary: 'Void signals of a session',
  description:
    'Usage, sessions, exports and budgets count these signals no longer, as if they had never been recorded. Their ids stay ' +
    'taken, so that a repeat of one is a duplicate. Repeating the request changes nothing; there is no way back. An id that is ' +
    'not in the session is a 400, a signal that is more than 35 days old a 409, and then nothing is voided.',
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'signals:correct' },
  priority: 'read',
  params: sessionParams,
  body: z.strictObject({
    signal_ids: uniqueIds(text(ID_LENGTH), CORRECTED_PER_REQUEST).describe("The signals' own ids"),
    reason: text(200).describe('Kept with each signal and in the audit log'),
  }),
  success: {
    status: 200,
    description: 'The session without them',
    body: z.strictObject({
      session: writtenSession,
      voided: z.array(z.string()).describe('Ids that this request has voided'),
      already: z.array(z.string()).describe('Ids that were voided before'),
    }),
  },
  errors: ['not_found', 'conflict'],
  handle: async ({ principal, params, body }, ctx) => {
    const { signal_ids: signalIds, reason } = body;
    const voiding = { sessionId: params.id, signalIds, reason };
    const { session, ...ids } = await voidAll(ctx, principal.orgId, voiding);
    return { session: writtenSessionFor(principal, viewListedSession(session)), ...ids };
  },
});
