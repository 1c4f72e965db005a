import { userId } from '../../../core/accounts/organizations/user-id.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import { nullable, object, optional } from '../../../platform/mongo/fields.ts';

/**
 * The rows of a closed day, as they were when a billing period closed: those of the day when its own month did; when a later
 * one did, the corrections that had come by then. A day with many rows has several chunks, of which the first is its head.
 */
export interface ClosedChunk {
  /** `closedKey(...)`, a slash and the number of the chunk. */
  _id: string;
  org_id: string;
  day: Date;
  /** The month that closed, `2026-11`. */
  billing_period: string;
  chunk: number;
  /** As `packRows` writes them. */
  packed: string;
  head?: ClosedHead;
}

/** The facts about all chunks of a closed day. */
export interface ClosedHead {
  chunks: number;
  rows: number;
  /** The sum of their EffectiveCost, nano-USD as text. */
  cost_nusd: string;
  /** Calls of the day that have no price, and so no row; in corrections the change of these. */
  unpriced: { signals: number; tokens: number };
  /** The name of the organization in its rows, for ever. */
  account_name: string;
  /** `DayUsage.hash` of then. Null: usage could not be told for a UTC day. */
  usage_hash: string | null;
  /** False: calls of the day were no longer kept, so its rows cannot be told. It has no rows here and gets no corrections. */
  is_known: boolean;
  closed_at: Date;
}

export const focusClosedRows = collection<ClosedChunk>('focus_closed', {
  about: 'The rows of a closed day, as they were when its billing period closed.',
  fields: {
    _id: String,
    org_id: String,
    day: Date,
    billing_period: String,
    chunk: Number,
    packed: userId,
    head: optional(
      object({
        chunks: Number,
        rows: Number,
        cost_nusd: String,
        unpriced: object({ signals: Number, tokens: Number }),
        account_name: String,
        usage_hash: nullable(String),
        is_known: Boolean,
        closed_at: Date,
      }),
    ),
  },
  indexes: [{ key: { org_id: 1, day: 1, chunk: 1 } }],
});
