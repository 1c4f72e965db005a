import type { NewEvent } from '../events/new-event.ts';
import type { Session } from './model.ts';
import { viewSession } from './view.ts';

/** `session.started` of a session: one per session, with the session as it is after its first signals. */
export function sessionStarted(session: Session): NewEvent {
  const { _id, org_id, started_at } = session;
  return { cause: [_id], type: 'session.started', org_id, ts: started_at, data: { ...viewSession(session) } };
}

/** `session.ended` of a session: one per session. */
export function sessionEnded(session: Session): NewEvent {
  const { _id, org_id, ended_at } = session;
  return { cause: [_id], type: 'session.ended', org_id, ts: ended_at, data: { ...viewSession(session) } };
}
