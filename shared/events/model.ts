import { Schema } from 'mongoose';
import type { EventType } from '../platform/basics/contract.ts';

/** Something that happened, recorded in the transaction of the change itself (the outbox). */
export interface Event {
  /** Derived from its cause, so that one cause has one event. */
  _id: string;
  type: EventType;
  org_id: string;
  /** Event time. */
  ts: Date;
  data: Record<string, unknown>;
  /** The envelope as it is sent, byte for byte; only where a webhook subscribes. */
  body?: string;
  created_at: Date;
}

export const eventSchema = new Schema<Event>({
  _id: { type: String, required: true },
  type: String,
  org_id: String,
  ts: Date,
  data: Schema.Types.Mixed,
  body: String,
  created_at: Date,
});
eventSchema.index({ org_id: 1, created_at: 1 });
eventSchema.index({ created_at: 1 });
