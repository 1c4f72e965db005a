import type { NewEvent } from '../../events/new-event.ts';
import { isoTime } from '../../platform/basics/clock.ts';

/** The body of every delivery of an event, serialized once: `{ id, type, org_id, ts, data }`, with `ts` in ISO 8601. */
export function envelopeOf(id: string, { type, org_id, ts, data }: Omit<NewEvent, 'cause'>): string {
  return JSON.stringify({ id, type, org_id, ts: isoTime(ts.getTime()), data });
}
