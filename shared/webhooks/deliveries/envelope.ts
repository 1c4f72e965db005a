import type { Event } from '../../events/model.ts';
import { isoTime } from '../../platform/basics/clock.ts';

/** The body of every delivery of an event, serialized once: `{ id, type, org_id, ts, data }`, with `ts` in ISO 8601. */
export function envelopeOf({ _id, type, org_id, ts, data }: Omit<Event, 'created_at' | 'body'>): string {
  return JSON.stringify({ id: _id, type, org_id, ts: isoTime(ts.getTime()), data });
}
