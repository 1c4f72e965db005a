import { z } from 'zod';
import { contextView } from '../../shared/core/calls/sessions/dimension.ts';
import {
  type AttributedSession,
  attributionView,
  readAttribution,
} from '../../shared/core/calls/sessions/read-attribution.ts';
import { readSession, streamSignals } from '../../shared/core/calls/sessions/read-session.ts';
import { listedSessionView, viewListedSession } from '../../shared/core/calls/sessions/view.ts';
import { signalView, viewSignal } from '../../shared/core/calls/signals/view.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { reply, route } from '../basics/route.ts';
import { sessionParams } from '../schemas/params.ts';

export const getSession = route({
  method: 'get',
  path: '/api/v1/sessions/{id}',
  summary: 'Read a session with all its signals',
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'usage:read' },
  params: sessionParams,
  query: z.strictObject({
    voided: z.literal('include').optional().describe('Shows voided signals too, each with who, when and why'),
  }),
  success: {
    status: 200,
    description: 'The session, its signals in time order',
    body: listedSessionView.extend({
      attribution: z.array(attributionView).describe('Where its cost belongs; it sums to the session'),
      contexts: z.array(contextView).describe('The last 200 that its client sessions were told'),
      signals: z.array(signalView),
    }),
  },
  errors: ['not_found'],
  handle: async ({ principal, params, query }, ctx) => {
    const session = await readSession(ctx, principal, params.id);
    const attributed = await readAttribution(ctx, session);
    return reply(sessionWithSignals(ctx, attributed, { withVoided: query.voided === 'include' }));
  },
});

/** Characters after which a piece goes out: a signal may hold tens of thousands, so counting signals bounds nothing. */
const PIECE_LENGTH = 65_536;

/** One JSON object in pieces: memory grows with neither the number nor the size of the signals. */
async function* sessionWithSignals(
  ctx: Context,
  { session, attribution, contexts, works }: AttributedSession,
  which: { withVoided: boolean },
): AsyncGenerator<string> {
  const view = { ...viewListedSession(session), attribution, contexts };
  let piece = `${JSON.stringify(view).slice(0, -1)},"signals":[`;
  let comma = '';
  for await (const signal of streamSignals(ctx, session, which)) {
    piece += comma + JSON.stringify(viewSignal(signal, works));
    comma = ',';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}`;
}
