import packageJson from '../../../../../package.json' with { type: 'json' };
import type { Organization } from '../../../../core/accounts/organizations/model.ts';
import type { Columns, Row } from '../../../../platform/basics/columns.ts';
import { DAY_MS } from '../../../../platform/basics/interval.ts';
import { startOfDay } from '../../../../platform/basics/utc-days.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { exportUsage } from '../../../exports/export-usage.ts';
import { columnTypes, focusColumns, focusRows, schemaId } from '../../../exports/focus/columns.ts';
import { keptSinceMs } from '../../../exports/focus/export-focus.ts';
import type { ChargeRow } from '../../../exports/focus/sum-charges.ts';
import {
  type ClosedPart,
  closedCost,
  closedRows,
  NO_UNPRICED,
  openRows,
  openUnpriced,
} from '../../closing/closed-rows.ts';
import { monthOf, startOfMonth } from '../../closing/months.ts';
import { type DailyTable, type DayTotals, hashOf, sumOf } from '../../closing/read-usage.ts';
import type { Target } from './targets.ts';

/** The columns of money whose sums a manifest has. The last one sums to usage. */
export const SUMMED = {
  focus: ['BilledCost', 'ListCost', 'ContractedCost', 'EffectiveCost'],
  daily: ['cost_usd'],
  sessions: ['cost_usd'],
} as const;

/** The table of a partition, as one look at the stores shows it. */
export interface PartitionTable {
  columns: Columns;
  rows: AsyncIterable<readonly Row[]>;
  /** For FOCUS: the id of its columns, and the calls that have no row. */
  schemaId?: string;
  unpriced?: { signals: number; tokens: number };
}

type OpenTarget = Extract<Target, { state: 'open' }>;

/** The totals of an open partition: what is closed of the day does not count. */
export async function totalsOf(
  ctx: Context,
  organization: Organization,
  { level, day, closed }: OpenTarget,
  daily: DailyTable,
): Promise<DayTotals> {
  if (level.level === 'sessions') return sumSessions(ctx, organization, startOfDay(day));
  if (closed.length === 0) return daily;
  return {
    hash: hashOf([daily.hash, closed.map(({ billing_period }) => billing_period)]),
    costNusd: daily.costNusd - closedCost(closed),
    isEmpty: isUnchangedSinceClosed(closed, daily),
  };
}

/** Returns true for a day whose usage is what it was when it was closed: its rows are, too. */
function isUnchangedSinceClosed(closed: readonly ClosedPart[], daily: DailyTable): boolean {
  return closed.at(-1)?.usage_hash === daily.hash;
}

/**
 * A hash of all that the files of an open partition are made of: its totals, the settings, the name in FOCUS files, and the
 * version of the product, whose columns and list of prices make rows of them.
 */
export function openFingerprint({ name }: Organization, { level }: Target, totals: DayTotals): string {
  return hashOf([packageJson.version, level, level.level === 'focus' ? name : null, totals.hash]);
}

/** A hash of the settings and the rows of a final partition, which never change. */
export function finalFingerprint({ level, part }: Extract<Target, { state: 'final' }>): string {
  return hashOf(['final', level, part && [part.billing_period, part.closed_at]]);
}

/** The table of a partition. Null where its calls are no longer kept. */
export async function tableOf(
  ctx: Context,
  organization: Organization,
  target: Target,
  daily: DailyTable | null,
): Promise<PartitionTable | null> {
  const { level, day } = target;
  const fromMs = startOfDay(day);
  const range = { fromMs, toMs: fromMs + DAY_MS, timezone: 'UTC' };
  if (level.level === 'daily') return daily && { columns: daily.columns, rows: only(daily.rows) };
  if (level.level === 'sessions')
    return exportUsage(ctx, organization, { level: level.level, ...range, filter: {} });
  if (target.state === 'final') return finalTable(ctx, organization, target);
  if (fromMs < keptSinceMs(ctx)) return null;
  const { closed } = target;
  if (closed.length > 0 && daily && isUnchangedSinceClosed(closed, daily))
    return focusTable(organization, target, only<ChargeRow>([]), NO_UNPRICED);
  const unpriced = await openUnpriced(ctx, organization._id, day, closed);
  return focusTable(organization, target, openRows(ctx, organization._id, day, closed), unpriced);
}

function finalTable(
  ctx: Context,
  { _id, name }: Organization,
  target: Extract<Target, { state: 'final' }>,
): PartitionTable {
  const { part } = target;
  const account = { _id, name: part?.account_name ?? name };
  const rows = part === null ? only<ChargeRow>([]) : closedRows(ctx, _id, part);
  return focusTable(account, target, rows, part?.unpriced ?? NO_UNPRICED);
}

/** The FOCUS table of a day. A month that comes after the day bills its rows as corrections. */
function focusTable(
  organization: { _id: string; name: string },
  { level, day, billingPeriod }: Target,
  charges: AsyncIterable<readonly ChargeRow[]>,
  unpriced: PartitionTable['unpriced'],
): PartitionTable {
  const version = level.focus_version ?? '1.2';
  const columns = focusColumns(version);
  const fromMs = startOfDay(day);
  const period = {
    fromMs,
    toMs: fromMs + DAY_MS,
    organization,
    billed: level.billed ?? ('computed' as const),
    correctedInMs: billingPeriod === monthOf(day) ? null : startOfMonth(billingPeriod),
  };
  return {
    columns: columnTypes(columns),
    rows: focusRows(charges, columns, period),
    schemaId: schemaId(version),
    ...(unpriced ? { unpriced } : {}),
  };
}

async function* only<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  if (items.length > 0) yield items;
}

/** The sessions that started on a UTC day: each column of them counts, since a correction may leave all sums as they were. */
async function sumSessions(ctx: Context, organization: Organization, fromMs: number): Promise<DayTotals> {
  const range = { fromMs, toMs: fromMs + DAY_MS, timezone: 'UTC' };
  const { columns, rows } = exportUsage(ctx, organization, { level: 'sessions', ...range, filter: {} });
  let hash = '';
  let costNusd = 0n;
  for await (const batch of rows) {
    hash = hashOf([hash, batch]);
    costNusd += sumOf({ columns, rows: [...batch] }, 'cost_usd');
  }
  return { hash, costNusd, isEmpty: hash === '' };
}
