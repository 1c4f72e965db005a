import { isoTime } from '../../../platform/basics/clock.ts';
import type { EventType } from '../../../platform/basics/contract.ts';
import { derivedId } from '../../../platform/basics/ids.ts';
import type { Concerns } from './concerns.ts';

/** An event as the noun that raises it describes it. */
export interface NewEvent {
  /** Identifies the event: its id is derived from it. */
  cause: readonly (string | number)[];
  type: EventType;
  org_id: string;
  /** Event time. */
  ts: Date;
  data: Record<string, unknown>;
  /** The only webhook that it is for, if it is for one. */
  webhook_id?: string;
  /** A channel with a filter gets it by these. */
  concerns: Concerns;
  /** True: no channel gets it. Webhooks of the format `json` do. */
  is_muted?: boolean;
  /** A channel that gets it even if it did not ask for it. */
  owner_id?: string | undefined;
}

/** The id of a new event. The same cause gives the same id, so that one cause has one event. */
export function eventIdOf({ type, cause }: Pick<NewEvent, 'type' | 'cause'>): string {
  return derivedId('evt', type, ...cause);
}

/** The body of every delivery of an event, serialized once: `{ id, type, org_id, ts, data }`, with `ts` in ISO 8601. */
export function envelopeOf(
  id: string,
  { type, org_id, ts, data }: Pick<NewEvent, 'type' | 'org_id' | 'ts' | 'data'>,
): string {
  return JSON.stringify({ id, type, org_id, ts: isoTime(ts.getTime()), data });
}
