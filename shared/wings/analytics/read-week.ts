import type { ClientSession } from 'mongoose';
import type { Organization } from '../../core/accounts/organizations/model.ts';
import { timezoneAt } from '../../core/accounts/organizations/read-organization.ts';
import { bucketEdges } from '../../core/calls/usage/calendar.ts';
import type { SummedRow } from '../../core/calls/usage/cells.ts';
import type { Sums } from '../../core/calls/usage/measures.ts';
import { DIMENSIONS as COLUMNS } from '../../core/calls/usage/model.ts';
import { splitRange } from '../../core/calls/usage/split-range.ts';
import { sumRollups } from '../../core/calls/usage/sum-rollups.ts';
import type { Context } from '../../platform/context/context.ts';
import { type Dimension, FROZEN, type UserCell, type WeekCells } from './model.ts';

/** One ISO week of the organization's timezone, epoch ms. */
export interface Week {
  fromMs: number;
  toMs: number;
}

export interface People {
  teamOf: (user: string) => string;
  /** Returns whether the user does not count towards k. */
  isOther: (user: string) => boolean;
}

type PlainDimension = Exclude<Dimension, 'hour_of_week'>;

const VALUE_OF: Record<PlainDimension, (row: SummedRow, people: People) => string> = {
  none: () => 'all',
  model: ({ key }) => String(key.model),
  adapter: ({ key }) => String(key.adapter),
  project: ({ key }) => String(key.project_id),
  team: ({ key }, { teamOf }) => teamOf(String(key.user_id)),
};

/** Every dimension of one week but the hours, from the rollups as of the transaction's snapshot. */
export async function readWeek(
  ctx: Context,
  organization: Organization,
  week: Week,
  people: People,
  transaction: ClientSession,
): Promise<Record<PlainDimension, WeekCells>> {
  const parts = splitRange(organization, [week.fromMs, week.toMs]);
  const rows = await sumRollups(ctx, organization, { parts, match: {}, columns: COLUMNS }, transaction);
  const cellsBy = (dimension: PlainDimension): WeekCells => {
    const cells = createCells(people);
    for (const row of rows) {
      cells.add(VALUE_OF[dimension](row, people), String(row.key.user_id), row.sums);
    }
    return cells.byValue();
  };
  return {
    none: cellsBy('none'),
    model: cellsBy('model'),
    adapter: cellsBy('adapter'),
    project: cellsBy('project'),
    team: cellsBy('team'),
  };
}

/** The hours of one week, of which every quarter hour must be there still. */
export async function readHours(
  ctx: Context,
  organization: Organization,
  week: Week,
  people: People,
  transaction: ClientSession,
): Promise<WeekCells> {
  const parts = [{ period: 'quarter_hour', ...week }] as const;
  const edges = bucketEdges(organization.timezones, 'hour', week.fromMs, week.toMs);
  const asked = { parts, match: {}, columns: ['start', 'user_id'], edges } as const;
  const cells = createCells(people);
  for (const { key, sums } of await sumRollups(ctx, organization, asked, transaction)) {
    cells.add(hourName(organization, Number(key.start)), String(key.user_id), sums);
  }
  return cells.byValue();
}

/** 0 is Monday 00:00–01:00 local time, 167 Sunday 23:00–24:00. */
function hourName(organization: Organization, atMs: number): string {
  const timezone = timezoneAt(organization, atMs);
  const local = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone);
  return String((local.dayOfWeek - 1) * 24 + local.hour);
}

/** Sums by value and user. A row of zeros is as good as none. */
function createCells({ isOther }: People) {
  const cells = new Map<string, Map<string, UserCell>>();
  return {
    add(value: string, user: string, sums: Sums): void {
      const users = cells.get(value) ?? new Map<string, UserCell>();
      cells.set(value, users);
      const cell = users.get(user) ?? noActivity(user, isOther(user));
      users.set(user, cell);
      for (const measure of FROZEN) cell[measure] += Number(sums[measure]);
    },
    byValue: (): WeekCells =>
      new Map(
        [...cells]
          .map(([value, users]) => [value, [...users.values()].filter(isActivity)] as const)
          .filter(([, users]) => users.length > 0),
      ),
  };
}

/** A user who did nothing in a cell. */
export function noActivity(user: string, isOther: boolean): UserCell {
  const zeros = { sessions: 0, signals: 0, errors: 0, tokens_in: 0, tokens_out: 0, cost_nusd: 0 };
  return { user, isOther, ...zeros };
}

export function isActivity(cell: UserCell): boolean {
  return FROZEN.some((measure) => cell[measure] !== 0);
}
