import type { EventType } from '../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { kept, only, optional } from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';

export const eventRows = collection('events', {
  about: 'Something that happened and that a webhook subscribes to.',
  fields: {
    /** Derived from its cause, so that one cause has one event. */
    _id: String,
    type: only<EventType>(String),
    org_id: String,
    /** The only webhook that it is for; absent where it is for those that name its type. */
    webhook_id: optional(String),
    /** The envelope as it is sent, byte for byte. */
    body: kept(String, 'it is what the webhooks were sent; deleted with the retention of events'),
    /** `Words` as JSON; absent where no message needs them. */
    words: optional(kept(String, 'it is what the channels were sent; deleted with the retention of events')),
    /** Its place among the events of one transaction. */
    index: Number,
    created_at: Date,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [{ key: { created_at: 1 } }],
});

/**
 * Something that happened and that a webhook subscribes to, recorded in the transaction of the change itself (the
 * outbox). An event that nobody subscribes to has no row (ADR 0148).
 */
export interface Event extends RowOf<typeof eventRows> {}

export const eventRetention = keptForDays('events', eventRows, 'created_at', 'eventRetentionDays');
