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
  webhook_id?: string;
  /** A channel with a filter gets it by these. */
  concerns: Concerns;
  /** True: no channel gets it. Webhooks of the format `json` do. */
  is_muted?: boolean;
  /** True: it is stored even if no webhook gets it, because a mail is made of it. */
  is_kept?: boolean;
  /** A channel that gets it even if it did not ask for it. */
  owner_id?: string | undefined;
  /** Says how far one thing (`of`) has come: a channel gets only the highest of those that are for it. */
  level?: { of: string; rank: number };
  /** Figures, names and a link that messages have beside the data. */
  words?: Words;
}

/**
 * Figures, names and a link that messages to people have beside the data of an event, as they were when the event was raised, so that
 * every attempt says the same. They are no part of the envelope.
 */
export interface Words {
  /** The zone of the organization. */
  timezone?: string;
  /** Names of people, and of the organization, by their ids. */
  names?: Record<string, string>;
  /** The page that shows it. */
  link?: string;
  /** The unit of the amounts, where the data leave it out. */
  metric?: string;
  /** The window of a budget, such as "this month", and its end in ISO 8601, if it has one. */
  period?: string;
  ends_at?: string;
  /** The amount at that end at the pace so far, in the unit of the threshold. */
  forecast?: number;
  cause?: Cause;
  session?: { project_id: string; started_at: string };
  /** Those of the events of a digest, in their order. */
  events?: Words[];
}

/** A part of usage that stands out: that of one person, or of one session of a person. */
export interface Cause {
  /** The part of a budget's usage; absent where the whole is that session. */
  share_pct?: number;
  user_id: string;
  session?: { calls: number; tool?: string };
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
