import { userId } from '../../../core/accounts/organizations/user-id.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { nullable, type ObjectOf, object, optional } from '../../../platform/mongo/fields.ts';

const HEAD = {
  chunks: Number,
  rows: Number,
  /** The sum of their EffectiveCost, nano-USD as text. */
  cost_nusd: String,
  /** Calls of the day that have no price, and so no row; in corrections the change of these. */
  unpriced: object({ signals: Number, tokens: Number }),
  /** The name of the organization in its rows, for ever. */
  account_name: String,
  /** `DayUsage.hash` of then. Null: usage could not be told for a UTC day. */
  usage_hash: nullable(String),
  /** False: calls of the day were no longer kept, so its rows cannot be told. It has no rows here and gets no corrections. */
  is_known: Boolean,
  closed_at: Date,
};

/** The facts about all chunks of a closed day. */
export interface ClosedHead extends ObjectOf<typeof HEAD> {}

export const focusClosedRows = collection('focus_closed', {
  about: 'The rows of a closed day, as they were when its billing period closed.',
  fields: {
    /** `closedKey(...)`, a slash and the number of the chunk. */
    _id: String,
    org_id: String,
    day: Date,
    /** The month that closed, `2026-11`. */
    billing_period: String,
    chunk: Number,
    /** As `packRows` writes them. */
    packed: userId,
    head: optional(object(HEAD)),
  },
  indexes: [{ key: { org_id: 1, day: 1, chunk: 1 } }],
});

/**
 * The rows of a closed day, as they were when a billing period closed: those of the day when its own month did; when a later
 * one did, the corrections that had come by then. A day with many rows has several chunks, of which the first is its head.
 */
export interface ClosedChunk extends RowOf<typeof focusClosedRows> {}
