import { z } from 'zod';
import type { Context } from '../../shared/context.ts';
import type { Session } from '../../shared/sessions/model.ts';
import { readSession, streamSignals } from '../../shared/sessions/read-session.ts';
import { sessionView, viewSession } from '../../shared/sessions/view.ts';
import { viewSignal } from '../../shared/signals/view.ts';
import { text } from '../../shared/text.ts';
import { reply, route } from '../route.ts';

export const sessionParams = z.strictObject({ id: text(128).describe('Session id') });

export const getSession = route({
  method: 'get',
  path: '/api/v1/sessions/{id}',
  summary: 'Read a session with all its signals',
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  params: sessionParams,
  success: {
    status: 200,
    description: 'The session, its signals in time order',
    body: sessionView.extend({ signals: z.array(z.looseObject({ id: z.string() })) }),
  },
  errors: ['not_found'],
  handle: async ({ principal, params }, ctx) =>
    reply(sessionWithSignals(ctx, await readSession(ctx, principal, params.id))),
});

const CHUNK_SIGNALS = 200;

/** One JSON object in pieces: memory does not grow with the number of signals. */
async function* sessionWithSignals(ctx: Context, session: Session): AsyncGenerator<string> {
  const head = JSON.stringify(viewSession(session));
  let before = `${head.slice(0, -1)},"signals":[`;
  let chunk: string[] = [];
  for await (const signal of streamSignals(ctx, session._id)) {
    chunk.push(JSON.stringify(viewSignal(signal)));
    if (chunk.length < CHUNK_SIGNALS) continue;
    yield before + chunk.join(',');
    before = ',';
    chunk = [];
  }
  if (before === ',' && chunk.length === 0) before = '';
  yield `${before}${chunk.join(',')}]}`;
}
