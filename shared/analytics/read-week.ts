import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { timezoneAt } from '../organizations/read-organization.ts';
import { createPace } from '../platform/basics/next-turn.ts';
import type { Context } from '../platform/context/context.ts';
import { DIMENSIONS as COLUMNS, rollupRows } from '../usage/model.ts';
import { matchStages } from '../usage/rollup-stages.ts';
import { splitRange } from '../usage/split-range.ts';
import { sumRollups } from '../usage/sum-rollups.ts';
import type { SummedRow } from '../usage/sum-tables.ts';
import { type Dimension, FROZEN, type UserCell, type WeekCells } from './model.ts';

/** One ISO week of the organization's timezone, epoch ms. */
export interface Week {
  fromMs: number;
  toMs: number;
}

/** What decides where a user is counted. */
export interface People {
  /** The name of the user's value by team. */
  teamOf: (user: string) => string;
  /** Whether the user does not count towards k. */
  isPooled: (user: string) => boolean;
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
  const pace = createPace();
  const cellsBy = async (dimension: PlainDimension): Promise<WeekCells> => {
    const cells = createCells(people);
    for (const row of rows) {
      await pace();
      cells.add(VALUE_OF[dimension](row, people), String(row.key.user_id), row.sums);
    }
    return cells.byValue();
  };
  return {
    none: await cellsBy('none'),
    model: await cellsBy('model'),
    adapter: await cellsBy('adapter'),
    project: await cellsBy('project'),
    team: await cellsBy('team'),
  };
}

const HOUR_MS = 3_600_000;

/** The hours of one week, of which every quarter hour must be there still. */
export async function readHours(
  ctx: Context,
  organization: Organization,
  week: Week,
  people: People,
  transaction: ClientSession,
): Promise<WeekCells> {
  const part = { period: 'quarter_hour', ...week } as const;
  const _id = { user: '$user_id', at: hourExpression(organization, week) };
  const sums = Object.fromEntries(FROZEN.map((measure) => [measure, { $sum: `$${measure}` }]));
  const cursor = rollupRows(ctx).aggregate(
    [...matchStages(organization._id, part, {}), { $group: { _id, ...sums } }],
    { session: transaction, batchSize: 10_000 },
  );
  const cells = createCells(people);
  for await (const row of cursor)
    cells.add(hourName(organization, row._id.at.getTime()), String(row._id.user), row);
  return cells.byValue();
}

/** The hour of UTC, which is one of local time unless the offset has a part of an hour: then the quarter hour. */
function hourExpression(organization: Organization, { fromMs, toMs }: Week): unknown {
  const isWhole = [fromMs, toMs - 1].every((atMs) => offsetMs(organization, atMs) % HOUR_MS === 0);
  return isWhole ? { $dateTrunc: { date: '$start', unit: 'hour' } } : '$start';
}

function offsetMs(organization: Organization, atMs: number): number {
  return localAt(organization, atMs).offsetNanoseconds / 1e6;
}

/** 0 is Monday 00:00–01:00 local time, 167 Sunday 23:00–24:00. */
function hourName(organization: Organization, atMs: number): string {
  const local = localAt(organization, atMs);
  return String((local.dayOfWeek - 1) * 24 + local.hour);
}

function localAt(organization: Organization, atMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezoneAt(organization, atMs));
}

/** Sums by value and user. A row of zeros is as good as none. */
function createCells({ isPooled }: People) {
  const cells = new Map<string, Map<string, UserCell>>();
  return {
    add(value: string, user: string, row: Readonly<Record<string, unknown>>): void {
      const users = cells.get(value) ?? new Map<string, UserCell>();
      cells.set(value, users);
      const cell = users.get(user) ?? noActivity(user, isPooled(user));
      users.set(user, cell);
      for (const measure of FROZEN) cell[measure] += Number(row[measure] ?? 0);
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
export function noActivity(user: string, isPooled: boolean): UserCell {
  const zeros = { sessions: 0, signals: 0, errors: 0, tokens_in: 0, tokens_out: 0, cost_nusd: 0 };
  return { user, isPooled, ...zeros };
}

/** Whether there is anything in a cell. */
export function isActivity(cell: UserCell): boolean {
  return FROZEN.some((measure) => cell[measure] !== 0);
}
