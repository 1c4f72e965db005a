import { userId } from '../../../core/accounts/organizations/user-id.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { nullable, type ObjectOf, object, only } from '../../../platform/mongo/fields.ts';
import { keptForDays, retentionRule } from '../../../platform/mongo/retention.ts';

const MEASURES = {
  signals: Number,
  changed: Number,
  cost_before: String,
  cost_after: String,
  unpriced_before: Number,
  unpriced_after: Number,
};

/** The measures of a repricing as they are stored. Costs are whole nano-USD, which may pass 2^53, as text. */
export interface StoredMeasures extends ObjectOf<typeof MEASURES> {}

export const REPRICING_STATES = ['preview', 'applying', 'applied'] as const;
export type RepricingState = (typeof REPRICING_STATES)[number];

export const repricingRows = collection('repricings', {
  about: 'Recorded calls that get the prices of the present rules: a preview, or what was applied.',
  fields: {
    _id: String,
    org_id: String,
    state: only<RepricingState>(String),
    from: Date,
    to: Date,
    model: nullable(String),
    provider: nullable(String),
    only_unpriced: Boolean,
    ...MEASURES,
    days: [object({ day: String, ...MEASURES })],
    models: [object({ model: String, ...MEASURES })],
    /** The price rules that it was made by (`hashOfRules`). */
    rules: String,
    /** The set of its parts, the number of those that change calls, and of those that only list calls which stay as they are. */
    parts_set: String,
    parts: Number,
    staying_parts: Number,
    /** Parts that are applied, and the calls of these that have their new price, and that no longer were as in the preview. */
    parts_done: Number,
    applied: Number,
    skipped: Number,
    created_at: Date,
    created_by: userId,
    applied_at: nullable(Date),
  },
  indexes: [
    // For the previews of an organization, and for what was applied.
    { key: { org_id: 1, state: 1, created_at: 1 } },
    // For the retention of previews.
    { key: { state: 1, created_at: 1 } },
  ],
});

export interface Repricing extends RowOf<typeof repricingRows> {}

export const repricingPartRows = collection('repricing_parts', {
  about: 'Some calls of a repricing, by their ids, with their cost before and after.',
  fields: {
    /** `partId(...)`. */
    _id: String,
    org_id: String,
    parts_set: String,
    created_at: Date,
    /** JSON (`pack-part.ts`): ids of signals, with their cost before and their price after. */
    packed: String,
  },
  indexes: [{ key: { org_id: 1, parts_set: 1 } }, { key: { created_at: 1 } }],
});

/** Some calls of a repricing. Those that change go with the transaction that changes them. */
export interface RepricingPart extends RowOf<typeof repricingPartRows> {}

export function partId(set: string, kind: 'changing' | 'staying', at: number): string {
  return `${set}/${kind}/${at}`;
}

/** A preview may be applied for a day. */
export const PREVIEW_KEPT_MS = 86_400_000;

/** One that is begun in the last moment of its day is not removed: clocks differ, and beginning takes a while. */
const PREVIEW_GRACE_MS = 3_600_000;

export const repricingRetention = retentionRule('repricings', repricingRows, {
  kept: 'a preview for a day after `created_at`, what was applied for ever',
  old: (_config, nowMs) => ({
    filter: {
      state: 'preview' as const,
      created_at: { $lt: new Date(nowMs - PREVIEW_KEPT_MS - PREVIEW_GRACE_MS) },
    },
    ageField: 'created_at',
  }),
});

/** The parts of a preview go with it, or here where its process died. Workers that stand still for a week lose none. */
const PARTS_KEPT_DAYS = 8;

export const repricingPartRetention = keptForDays(
  'repricing_parts',
  repricingPartRows,
  'created_at',
  PARTS_KEPT_DAYS,
);
