import type { Cause } from '../../core/limits/enforcement/check/judge.ts';
import type { RefusalWay } from '../../core/limits/enforcement/check/refused.ts';
import { collection, type RowOf } from '../../platform/mongo/collection.ts';
import { erased, mapOf, nullable, object, only, optional } from '../../platform/mongo/fields.ts';
import { keptForDays } from '../../platform/mongo/retention.ts';

export const refusalRows = collection('refusals', {
  about: 'Calls of a person that a budget refused within one minute.',
  fields: {
    /** Derived from all that makes it one row. */
    _id: String,
    org_id: String,
    /** Null: nobody's, or a person's who was left out or erased. */
    user_id: nullable(erased(String)),
    /** Null where the caller named none, or where it was left out. */
    adapter: nullable(erased(String)),
    budget_id: String,
    way: only<RefusalWay>(String),
    cause: only<Cause>(String),
    /**
     * How many calls, by the part of a process that counted them. A part only grows, so that a write may be repeated: the larger
     * number is right.
     */
    counts: mapOf(Number),
    first_at: Date,
    last_at: Date,
    /** Absent: no estimate was named. */
    largest_estimate_nusd: optional(Number),
    /** The client session that was named last, and when, by the part of a process that counted the calls. */
    sessions: optional(erased(mapOf(object({ at: Date, id: String })))),
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    // One per list filter, and for two at once.
    { key: { org_id: 1, first_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, first_at: 1, _id: 1 } },
    { key: { org_id: 1, budget_id: 1, first_at: 1, _id: 1 } },
    { key: { org_id: 1, user_id: 1, budget_id: 1, first_at: 1, _id: 1 } },
  ],
});

/** Calls of one person and adapter that one budget refused within a minute, in one way and for one cause. */
export interface RefusalRow extends RowOf<typeof refusalRows> {}

export const refusalRetention = keptForDays('refusals', refusalRows, 'first_at', 'refusalRetentionDays', {
  isPerOrganization: true,
});

/** Longer than any process remembers a minute for. */
const MINUTE_KEPT_S = 24 * 3_600;

export const refusalMinuteRows = collection('refusal_minutes', {
  about: 'The rows of refusals that an organization has in one minute, so that they stay few.',
  fields: {
    /** The organization, and the start of the minute in epoch ms. */
    _id: String,
    org_id: String,
    at: Date,
    /** Ids of `refusals`: they are only added to. */
    rows: [String],
  },
  indexes: [{ key: { at: 1 }, expireAfterSeconds: MINUTE_KEPT_S }],
});

/** The rows of an organization's minute that name a person or an adapter, by which all processes keep within `MOST_ROWS`. */
export interface RefusalMinute extends RowOf<typeof refusalMinuteRows> {}

/** Rows of an organization in a minute that name a person or an adapter: further calls are counted without. */
export const MOST_ROWS = 1_000;
