import type { EventType } from '../../../platform/basics/contract.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import { kept, optional } from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';

/**
 * Something that happened and that a webhook subscribes to, recorded in the transaction of the change itself (the
 * outbox). An event that nobody subscribes to has no row (ADR 0148).
 */
export interface Event {
  /** Derived from its cause, so that one cause has one event. */
  _id: string;
  type: EventType;
  org_id: string;
  /** The only webhook that it is for; absent where it is for those that name its type. */
  webhook_id?: string;
  /** The envelope as it is sent, byte for byte. */
  body: string;
  /** `Words` as JSON; absent where no message needs them. */
  words?: string;
  /** Its place among the events of one transaction. */
  index: number;
  created_at: Date;
}

export const eventRows = collection<Event>('events', {
  about: 'Something that happened and that a webhook subscribes to.',
  fields: {
    _id: String,
    type: String,
    org_id: String,
    webhook_id: optional(String),
    body: kept(String, 'it is what the webhooks were sent; deleted with the retention of events'),
    words: optional(kept(String, 'it is what the channels were sent; deleted with the retention of events')),
    index: Number,
    created_at: Date,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [{ key: { created_at: 1 } }],
});

export const eventRetention = keptForDays('events', eventRows, 'created_at', 'eventRetentionDays');
