import type { EventType } from '../platform/basics/contract.ts';
import { derivedId } from '../platform/basics/ids.ts';

/** An event as the noun that raises it describes it. */
export interface NewEvent {
  /** What makes it this event and no other: the id is derived from it. */
  cause: readonly (string | number)[];
  type: EventType;
  org_id: string;
  /** Event time. */
  ts: Date;
  data: Record<string, unknown>;
  /** The only webhook that it is for, if it is for one. */
  webhook_id?: string;
}

/** The id of a new event. The same cause gives the same id, so that one cause has one event. */
export function eventIdOf({ type, cause }: Pick<NewEvent, 'type' | 'cause'>): string {
  return derivedId('evt', type, ...cause);
}
