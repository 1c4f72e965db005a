import type { Cause } from '../../core/limits/enforcement/check/judge.ts';
import type { RefusalWay } from '../../core/limits/enforcement/check/refused.ts';
import { collection } from '../../platform/mongo/collection.ts';
import { erased, mapOf, nullable, object, optional } from '../../platform/mongo/fields.ts';
import { keptForDays } from '../../platform/mongo/retention.ts';

/** Calls of one person and adapter that one budget refused within a minute, in one way and for one cause. */
export interface RefusalRow {
  /** Derived from all that makes it one row. */
  _id: string;
  org_id: string;
  /** Null: nobody's, or a person's who was left out or erased. */
  user_id: string | null;
  /** Null where the caller named none, or where it was left out. */
  adapter: string | null;
  budget_id: string;
  way: RefusalWay;
  cause: Cause;
  /**
   * How many calls, by the part of a process that counted them. A part only grows, so that a write may be repeated: the larger
   * number is right.
   */
  counts: Record<string, number>;
  first_at: Date;
  last_at: Date;
  /** Absent: no estimate was named. */
  largest_estimate_nusd?: number;
  /** The client session that was named last, and when, by the part of a process that counted the calls. */
  sessions?: Record<string, { at: Date; id: string }>;
}

export const refusalRows = collection<RefusalRow>('refusals', {
  about: 'Calls of a person that a budget refused within one minute.',
  fields: {
    _id: String,
    org_id: String,
    user_id: nullable(erased(String)),
    adapter: nullable(erased(String)),
    budget_id: String,
    way: String,
    cause: String,
    counts: mapOf(Number),
    first_at: Date,
    last_at: Date,
    largest_estimate_nusd: optional(Number),
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

export const refusalRetention = keptForDays('refusals', refusalRows, 'first_at', 'refusalRetentionDays', {
  isPerOrganization: true,
});

/** The rows of an organization's minute that name a person or an adapter, by which all processes keep within `MOST_ROWS`. */
export interface RefusalMinute {
  /** The organization, and the start of the minute in epoch ms. */
  _id: string;
  org_id: string;
  at: Date;
  /** Ids of `refusals`: they are only added to. */
  rows: string[];
}

/** Longer than any process remembers a minute for. */
const MINUTE_KEPT_S = 24 * 3_600;

export const refusalMinuteRows = collection<RefusalMinute>('refusal_minutes', {
  about: 'The rows of refusals that an organization has in one minute, so that they stay few.',
  fields: { _id: String, org_id: String, at: Date, rows: [String] },
  indexes: [{ key: { at: 1 }, expireAfterSeconds: MINUTE_KEPT_S }],
});

/** Rows of an organization in a minute that name a person or an adapter: further calls are counted without. */
export const MOST_ROWS = 1_000;
