import type { Session } from '../../shared/core/calls/sessions/model.ts';
import { type Signal, signalKey, signalRows } from '../../shared/core/calls/signals/model.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { round } from './bench.ts';

const SESSIONS_A_WRITE = 500;
const WRITERS = 3;

/** Inserts so many calls of each session. Their tokens and costs add up to the session's. */
export async function seedSignals(
  ctx: Context,
  {
    sessions,
    perSession,
    sessionOf,
  }: { sessions: number; perSession: number; sessionOf: (index: number) => Session },
): Promise<void> {
  if (perSession === 0) return;
  const began = performance.now();
  let next = 0;
  const write = async () => {
    while (next < sessions) {
      const first = next;
      next += SESSIONS_A_WRITE;
      const count = Math.min(SESSIONS_A_WRITE, sessions - first);
      const some = Array.from({ length: count }, (_, at) => sessionOf(first + at));
      await signalRows(ctx).insertMany(
        some.flatMap((session) => callsOf(session, perSession)),
        { ordered: false },
      );
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  console.error(`${sessions * perSession} signals in ${round((performance.now() - began) / 1_000, 0)} s`);
}

function callsOf(session: Session, count: number): Signal[] {
  const { _id: session_id, org_id, user_id, project_id, adapter, model, started_at: ts } = session;
  return Array.from({ length: count }, (_, at) => {
    const share = (whole: number) =>
      Math.floor((whole * (at + 1)) / count) - Math.floor((whole * at) / count);
    const id = `${session_id}-${at}`;
    return {
      _id: signalKey(org_id, adapter, id),
      org_id,
      id,
      type: 'call',
      ts,
      user_id,
      project_id,
      adapter,
      model,
      provider: null,
      tokens_in: share(session.tokens_in),
      tokens_out: share(session.tokens_out),
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      cost_nusd: share(session.cost_nusd),
      cost_source: 'reported',
      latency_ms: 900,
      session_id,
      received_at: ts,
    };
  });
}
