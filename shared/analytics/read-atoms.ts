import type { Organization } from '../organizations/model.ts';
import { timezoneAt } from '../organizations/read-organization.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { rollupRows } from '../usage/model.ts';
import { splitRange } from '../usage/split-range.ts';
import { matchStages, sumRollups } from '../usage/sum-rollups.ts';
import type { Contribution } from './suppress.ts';

export const DIMENSIONS = ['none', 'model', 'adapter', 'project', 'team', 'hour_of_week'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** What one user did in one week under one value. */
export interface UserCell extends Contribution {
  sessions: number;
  errors: number;
}

/** Every value of a week with what each user did under it. A user's activity is under one value only. */
export type WeekCells = ReadonlyMap<string, readonly UserCell[]>;

const SUMMED = ['sessions', 'signals', 'errors', 'tokens_in', 'tokens_out', 'cost_nusd'] as const;
const SUM_STAGE = Object.fromEntries(SUMMED.map((measure) => [measure, { $sum: `$${measure}` }]));
/** The others are not told by a column. */
const COLUMNS = {
  none: null,
  team: null,
  model: 'model',
  adapter: 'adapter',
  project: 'project_id',
} as const;
const HOUR_MS = 3_600_000;

/** Reads one week `[fromMs, toMs)`. `teamOf` names the value of a user when the dimension is `team`. */
export async function readWeek(
  ctx: Context,
  organization: Organization,
  week: { fromMs: number; toMs: number },
  dimension: Dimension,
  teamOf: (user: string) => string,
): Promise<WeekCells> {
  const cells = new Map<string, Map<string, UserCell>>();
  if (dimension === 'hour_of_week') {
    for (const row of await sumHours(ctx, organization, week)) {
      addCell(cells, hourName(organization, row._id.at), String(row._id.user), row);
    }
  } else {
    const column = COLUMNS[dimension];
    const columns = ['user_id', ...(column ? [column] : [])] as const;
    const parts = splitRange(organization, [week.fromMs, week.toMs]);
    const rows = await inTransaction(ctx.db, (transaction) =>
      sumRollups(ctx, organization, { parts, match: {}, columns }, transaction),
    );
    for (const { key, sums } of rows) {
      const user = String(key.user_id);
      const value = column ? String(key[column]) : dimension === 'team' ? teamOf(user) : 'all';
      addCell(cells, value, user, sums);
    }
  }
  return new Map([...cells].map(([name, users]) => [name, [...users.values()]]));
}

/** Sums by user and hour. */
function sumHours(ctx: Context, organization: Organization, week: { fromMs: number; toMs: number }) {
  const read = { period: 'quarter_hour', ...week } as const;
  const _id = { user: '$user_id', at: hourExpression(organization, week) };
  return rollupRows(ctx)
    .aggregate([...matchStages(organization._id, read, {}), { $group: { _id, ...SUM_STAGE } }])
    .toArray();
}

/** The hour of UTC, which is one of local time unless the offset has a part of an hour: then the quarter hour. */
function hourExpression(
  { timezones }: Organization,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): unknown {
  const whole = [fromMs, toMs - 1].every(
    (atMs) => offsetMs(timezoneAt({ timezones }, atMs), atMs) % HOUR_MS === 0,
  );
  return whole ? { $dateTrunc: { date: '$start', unit: 'hour' } } : '$start';
}

function offsetMs(timezone: string, atMs: number): number {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
}

function hourName(organization: Organization, at: Date): string {
  return String(hourOfWeek(timezoneAt(organization, at.getTime()), at.getTime()));
}

/** 0 is Monday 00:00–01:00 local time, 167 Sunday 23:00–24:00. */
function hourOfWeek(timezone: string, atMs: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone);
  return (local.dayOfWeek - 1) * 24 + local.hour;
}

function addCell(
  cells: Map<string, Map<string, UserCell>>,
  value: string,
  user: string,
  row: Readonly<Record<string, unknown>>,
): void {
  const users = cells.get(value) ?? new Map<string, UserCell>();
  cells.set(value, users);
  const cell = users.get(user) ?? { user, ...zeros() };
  users.set(user, cell);
  for (const measure of SUMMED) cell[measure] += Number(row[measure] ?? 0);
}

function zeros(): Omit<UserCell, 'user'> {
  return { sessions: 0, signals: 0, errors: 0, tokens_in: 0, tokens_out: 0, cost_nusd: 0 };
}
