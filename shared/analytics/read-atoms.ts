import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';
import type { Organization } from '../organizations/model.ts';
import { zoneAt } from '../usage/calendar.ts';
import { planReads, type Read } from '../usage/plan-reads.ts';
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
const COLUMNS = { model: '$model', adapter: '$adapter', project: '$project_id' } as const;
const HOUR_MS = 3_600_000;

/** Reads one week `[fromMs, toMs)`. `teamOf` names the value of a user when the dimension is `team`. */
export async function readWeek(
  ctx: Context,
  organization: Organization,
  week: { fromMs: number; toMs: number },
  dimension: Dimension,
  teamOf: (user: string) => string,
): Promise<WeekCells> {
  const reads: Read[] =
    dimension === 'hour_of_week'
      ? [{ period: 'quarter_hour', ...week }]
      : planReads(organization, [week.fromMs, week.toMs]);
  const value =
    dimension === 'hour_of_week' ? hourExpression(organization, week) : valueExpression(dimension);
  const cells = new Map<string, Map<string, UserCell>>();
  for (const { period, fromMs, toMs } of reads) {
    const start = { $gte: new Date(fromMs), $lt: new Date(toMs) };
    const rows = await raw(ctx.db.rollups)
      .aggregate([
        { $match: { org_id: organization._id, period, start } },
        { $group: { _id: { user: '$user_id', value }, ...SUM_STAGE } },
      ])
      .toArray();
    for (const row of rows) {
      const user = String(row._id.user);
      addCell(cells, nameOf(organization, dimension, row._id.value, teamOf(user)), user, row);
    }
  }
  return new Map([...cells].map(([name, users]) => [name, [...users.values()]]));
}

const SUM_STAGE = Object.fromEntries(SUMMED.map((measure) => [measure, { $sum: `$${measure}` }]));

function valueExpression(dimension: Exclude<Dimension, 'hour_of_week'>): unknown {
  return dimension === 'none' || dimension === 'team' ? { $literal: null } : COLUMNS[dimension];
}

/** The hour of UTC, which is one of local time unless the offset has a part of an hour: then the quarter hour. */
function hourExpression(
  { timezones }: Organization,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): unknown {
  const whole = [fromMs, toMs - 1].every((atMs) => offsetMs(zoneAt(timezones, atMs), atMs) % HOUR_MS === 0);
  return whole ? { $dateTrunc: { date: '$start', unit: 'hour' } } : '$start';
}

function offsetMs(timezone: string, atMs: number): number {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
}

function nameOf(organization: Organization, dimension: Dimension, value: unknown, team: string): string {
  if (dimension === 'none') return 'all';
  if (dimension === 'team') return team;
  if (dimension !== 'hour_of_week') return String(value);
  const atMs = (value as Date).getTime();
  return String(hourOfWeek(zoneAt(organization.timezones, atMs), atMs));
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
  row: Record<string, unknown>,
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
