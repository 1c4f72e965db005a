import { userId } from '../../core/accounts/organizations/user-id.ts';
import { collection, type RowOf } from '../../platform/mongo/collection.ts';
import { type Fields, type ObjectOf, object, optional } from '../../platform/mongo/fields.ts';
import type { Contribution } from './suppress.ts';

export const DIMENSIONS = ['none', 'model', 'adapter', 'project', 'team', 'hour_of_week'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface UserCell extends Contribution {
  sessions: number;
  errors: number;
}

/** Every value of a week with the cells of its users. A user's activity is under one value only. */
export type WeekCells = ReadonlyMap<string, readonly UserCell[]>;

export const FROZEN = ['sessions', 'signals', 'errors', 'tokens_in', 'tokens_out', 'cost_nusd'] as const;

const FROZEN_DIMENSION = {
  /** Values that are not shown. */
  hidden: [String],
  is_total_hidden: Boolean,
  /** The number of users in the late part when it was last judged and refused. */
  judged_users: Number,
  /** How many rows of `frozenCellRows` hold its cells. */
  parts: Number,
} satisfies Fields;

/** The answer about one dimension of a frozen week. */
export interface FrozenDimension extends ObjectOf<typeof FROZEN_DIMENSION> {}

const dimension = optional(object(FROZEN_DIMENSION));

/** Read by primary key only. */
export const frozenWeekRows = collection('analytics_weeks', {
  about: 'A closed week of analytics, as it is answered.',
  fields: {
    /** `weekKey(...)`. */
    _id: String,
    org_id: String,
    start: Date,
    frozen_at: Date,
    /** The sums of the week, late signals included, when its late part was last judged: see `sumWeek`. */
    seen_sums: String,
    /** Without those that had too many values, and without `hour_of_week` when the week's quarter hours were gone. */
    dimensions: object({
      team: dimension,
      adapter: dimension,
      model: dimension,
      none: dimension,
      project: dimension,
      hour_of_week: dimension,
    }),
  },
});

/** A closed week as it is answered: decided once, over the members and teams of that time (docs/analytics.md). */
export interface FrozenWeek extends RowOf<typeof frozenWeekRows> {}

/** Read by primary key only. */
export const frozenCellRows = collection('analytics_cells', {
  about: 'The sums of a closed week by person and value, of which only groups are shown.',
  fields: {
    /** `cellsKey(...)`. */
    _id: String,
    org_id: String,
    /** JSON, as `packCells` writes it. */
    cells: userId,
  },
});

/** Cells of one dimension of a frozen week, also those that are not shown. */
export interface FrozenCells extends RowOf<typeof frozenCellRows> {}
