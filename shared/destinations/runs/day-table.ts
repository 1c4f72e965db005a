import packageJson from '../../../package.json' with { type: 'json' };
import type { Columns, Row } from '../../exports/columns.ts';
import { exportUsage } from '../../exports/export-usage.ts';
import { exportFocus } from '../../exports/focus/export-focus.ts';
import type { Organization } from '../../organizations/model.ts';
import { isCode } from '../../platform/basics/errors.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import type { DestinationLevel } from '../model.ts';
import { type DailyTable, type DayTotals, hashOf, readDaily, sumSessions } from './read-day.ts';

/** The columns of money whose sums a manifest has. The last one sums to usage. */
export const SUMMED = {
  focus: ['BilledCost', 'ListCost', 'ContractedCost', 'EffectiveCost'],
  daily: ['cost_usd'],
  sessions: ['cost_usd'],
} as const;

/** A table of a day, as one look at the stores shows it. */
export interface DayTable {
  columns: Columns;
  rows: AsyncIterable<readonly Row[]>;
  /** For FOCUS: the id of its columns, and the calls that have no row. */
  schemaId?: string;
  unpriced?: { signals: number; tokens: number };
}

/** A UTC day of an organization. The usage of the day is read once for all levels. */
export interface ReadDay {
  fromMs: number;
  daily: DailyTable;
}

/** Reads a day, or null where it can no longer be told. */
export async function readDay(
  ctx: Context,
  organization: Organization,
  fromMs: number,
): Promise<ReadDay | null> {
  try {
    return { fromMs, daily: await readDaily(ctx, organization, fromMs) };
  } catch (error) {
    if (isCode(error, 'invalid_request')) return null;
    throw error;
  }
}

/** The totals that tell whether a table of the day has changed. */
export async function totalsOf(
  ctx: Context,
  organization: Organization,
  { level }: DestinationLevel,
  { fromMs, daily }: ReadDay,
): Promise<DayTotals> {
  return level === 'sessions' ? sumSessions(ctx, organization._id, fromMs) : daily;
}

/**
 * A hash of all that the files of a day are made of: its totals, the settings, the name in FOCUS files, and the version of the
 * product, whose columns and list of prices make rows of them.
 */
export function fingerprintOf({ name }: Organization, level: DestinationLevel, totals: DayTotals): string {
  return hashOf([packageJson.version, level, level.level === 'focus' ? name : null, totals.hash]);
}

/** The table of a day. Null where its calls are no longer kept. */
export async function tableOf(
  ctx: Context,
  organization: Organization,
  { level, focus_version, billed }: DestinationLevel,
  { fromMs, daily }: ReadDay,
): Promise<DayTable | null> {
  const range = { fromMs, toMs: fromMs + DAY_MS, timezone: 'UTC' };
  if (level === 'daily') return { columns: daily.columns, rows: once(daily.rows) };
  if (level === 'sessions') return exportUsage(ctx, organization, { level, ...range, filter: {} });
  try {
    return await exportFocus(ctx, organization, {
      ...range,
      version: focus_version ?? '1.2',
      granularity: 'day',
      billed: billed ?? 'computed',
      filter: {},
    });
  } catch (error) {
    if (isCode(error, 'invalid_request')) return null;
    throw error;
  }
}

async function* once(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  if (rows.length > 0) yield rows;
}
