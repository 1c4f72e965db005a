import { z } from 'zod';
import { pullRequestField } from '../../shared/core/calls/signals/pull-request-label.ts';
import { repositoryField } from '../../shared/core/calls/signals/repository-field.ts';
import { INTERVALS, type SeriesInterval } from '../../shared/core/calls/usage/calendar.ts';
import { GROUPINGS, type GroupBy } from '../../shared/core/calls/usage/group-usage.ts';
import { measuresView } from '../../shared/core/calls/usage/measures.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { text, timezone } from '../../shared/platform/basics/text.ts';
import { timeOrDate } from './time.ts';

export const workFilters = {
  repository: repositoryField.optional().describe('Filter by repository, by any address'),
  branch: text(256).optional().describe('Filter by branch: its name, or the hash of it'),
  pull_request: pullRequestField
    .optional()
    .describe('Filter by pull request: its repository, by any address, and its number'),
  task: text(128).optional().describe('Filter by task: its name, or the hash of it'),
};

/** The filters of every question about usage. */
export const usageFilters = {
  user_id: text(256).optional().describe('Filter by user'),
  project_id: text(256).optional().describe('Filter by project'),
  model: text(256).optional().describe('Filter by model, exactly'),
  adapter: text(128).optional().describe('Filter by adapter'),
};

export const usageRange = {
  from: timeOrDate
    .optional()
    .describe(
      'A time or a date, rounded down to 15 minutes; a date is its midnight in `timezone`. Default: 30 days before `to`',
    ),
  to: timeOrDate
    .optional()
    .describe('A time or a date likewise, rounded up to 15 minutes; exclusive. Default: now'),
  timezone: timezone.optional().describe("IANA timezone; default: the organization's"),
};

const usageInterval = z
  .enum(INTERVALS)
  .default('none' satisfies SeriesInterval)
  .describe('Length of the buckets of `series`; weeks begin on Monday');

export const MOST_GROUPINGS = 2;

/** The query parameter `group_by=a,b` or `group_by=a&group_by=b`: at most so many, each once, which `count` says in words. */
export function groupBy(allowed: readonly GroupBy[], most = MOST_GROUPINGS, count = `one to ${most}`) {
  const named = (names: readonly string[]): names is readonly GroupBy[] =>
    names.every((name) => allowed.some((known) => known === name));
  return z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat().flatMap((part) => part.split(',')))
    .refine(
      (names) => names.length <= most && new Set(names).size === names.length && named(names),
      `must be ${count} of ${allowed.join(', ')}, each once, separated by a comma`,
    )
    .transform((names): readonly GroupBy[] => (named(names) ? names : []))
    .optional()
    .meta({
      description:
        `One or two of ${allowed.join(', ')}, separated by a comma` +
        (most > MOST_GROUPINGS ? `; with \`series=each\` up to ${most}` : ''),
      documentedAs: { type: 'string', examples: ['model'] },
    });
}

export const ownGroupings = GROUPINGS.filter((grouping) => grouping !== 'team');

const series = z.array(z.strictObject({ start: z.string(), ...measuresView }));
const groupKey = z.partialRecord(z.enum(GROUPINGS), z.string().nullable());

export const usageView = z.strictObject({
  from: z.string(),
  to: z.string(),
  interval: z.enum(INTERVALS),
  timezone: z.string(),
  totals: z.strictObject(measuresView),
  series,
  groups: z.array(z.strictObject({ key: groupKey, ...measuresView })),
});

const activeUsers = z.int().optional();

/** The same, and with `series=groups` or `series=each` a series of each group. */
export const seriesView = usageView.extend({
  totals: z.strictObject({
    ...measuresView,
    active_users: activeUsers.describe('Users with any usage in the range; with `series`'),
  }),
  series: z.array(
    z.strictObject({
      start: z.string(),
      ...measuresView,
      active_users: activeUsers.describe(
        'Users with any usage in the bucket; with `series` and by `user_id`',
      ),
    }),
  ),
  groups: z.array(
    z.strictObject({
      key: groupKey
        .nullable()
        .describe('Null: all that are not among the `top`; with several groupings that one is null'),
      ...measuresView,
      rest: z.literal(true).optional().describe('Only of all that are not among the `top`'),
      series: series.optional().describe('With `series`'),
    }),
  ),
});

export const MOST_GROUP_SERIES = { default: 8, max: 20 } as const;

const groupSeriesQuery = {
  series: z
    .enum(['groups', 'each'])
    .optional()
    .describe(
      'A series of each group too; needs an `interval`. `groups`: of one `group_by`. `each`: every `group_by` is grouped ' +
        'for itself, one after the other in `groups`',
    ),
  top: z
    .string()
    .regex(/^[0-9]{1,2}$/, 'must be a whole number')
    .transform(Number)
    .refine((top) => top >= 1 && top <= MOST_GROUP_SERIES.max, `must be 1..${MOST_GROUP_SERIES.max}`)
    .optional()
    .describe(
      `With \`series\`: how many groups of each grouping, those that cost most, 1..${MOST_GROUP_SERIES.max}; default ${MOST_GROUP_SERIES.default}`,
    ),
};

export function usageQuery<Team extends z.ZodType>(groupings: readonly GroupBy[], team: Team) {
  return z.strictObject({
    ...usageRange,
    interval: usageInterval,
    group_by: groupBy(groupings, groupings.length, `one to ${MOST_GROUPINGS}, with series=each any number,`),
    ...groupSeriesQuery,
    ...usageFilters,
    ...workFilters,
    team,
  });
}

/** A question about usage, as its query asks it. */
export type UsageQuery = Omit<z.output<ReturnType<typeof usageQuery>>, 'team'> & {
  team?: string | undefined;
};

interface Grouped {
  series?: 'groups' | 'each' | undefined;
  top?: number | undefined;
  group_by?: readonly GroupBy[] | undefined;
}

/** Throws `invalid_request` for parameters that do not go with each other. */
export function refuseMisplaced({ series, top, group_by = [] }: Grouped): void {
  const most = series === 'each' ? GROUPINGS.length : series === 'groups' ? 1 : MOST_GROUPINGS;
  if (group_by.length > most)
    throw new DomainError(
      'invalid_request',
      `group_by has ${group_by.length} names (${group_by.join(', ')}) and may have ${most}${series ? ` with series=${series}` : ''}; with series=each any number.`,
    );
  if (top !== undefined && series === undefined)
    throw new DomainError('invalid_request', '`top` goes with `series`.');
}
