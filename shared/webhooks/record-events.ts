import type { ClientSession } from 'mongoose';
import { type Event, eventRows } from '../events/model.ts';
import type { EventType } from '../platform/basics/contract.ts';
import { derivedId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import type { Session } from '../sessions/model.ts';
import { viewSession } from '../sessions/view.ts';
import { planDeliveries } from './plan-deliveries.ts';

export interface NewEvent {
  /** What makes it this event and no other: the id is derived from it. */
  cause: readonly (string | number)[];
  type: EventType;
  org_id: string;
  ts: Date;
  data: Record<string, unknown>;
}

/**
 * Writes events in the transaction of the change that raised them, with one delivery per webhook that subscribes;
 * the commit wakes these. One cause has one event.
 */
export async function recordEvents(
  ctx: Context,
  events: readonly NewEvent[],
  transaction: ClientSession,
): Promise<Event[]> {
  if (events.length === 0) return [];
  const created_at = new Date(ctx.clock.now());
  const rows: Event[] = events.map(({ cause, ...event }) => ({
    _id: derivedId('evt', event.type, ...cause),
    ...event,
    created_at,
  }));
  await planDeliveries(ctx, rows, transaction);
  await eventRows(ctx).insertMany(rows, { session: transaction });
  return rows;
}

export function sessionStarted(session: Session): NewEvent {
  const { _id, org_id, started_at } = session;
  return { cause: [_id], type: 'session.started', org_id, ts: started_at, data: { ...viewSession(session) } };
}

export function sessionEnded(session: Session): NewEvent {
  const { _id, org_id, ended_at } = session;
  return { cause: [_id], type: 'session.ended', org_id, ts: ended_at, data: { ...viewSession(session) } };
}
