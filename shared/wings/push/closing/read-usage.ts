import { hash } from 'node:crypto';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { signalRows } from '../../../core/calls/signals/model.ts';
import { countRepriced } from '../../../core/pricing/rules/hook.ts';
import { dateAt, isoTime } from '../../../platform/basics/clock.ts';
import type { Columns, Row } from '../../../platform/basics/columns.ts';
import { isCode } from '../../../platform/basics/errors.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Context } from '../../../platform/context/context.ts';
import { columnsOfDays, dailyRowsOfCalls } from '../../exports/export-days.ts';
import { exportUsage } from '../../exports/export-usage.ts';
import { keptSinceMs } from '../../exports/focus/export-focus.ts';

const COLUMNS = columnsOfDays('daily');

/** A day in short: the hash changes when anything of the day does. */
export interface DayTotals {
  hash: string;
  costNusd: bigint;
  isEmpty: boolean;
}

/** The daily export of one day, in an order that is always the same. */
export interface DailyTable extends DayTotals {
  columns: Columns;
  rows: Row[];
}

/**
 * Reads the usage of a UTC day. Where rollups have only whole days of another timezone it is summed from the calls, which takes
 * longer; null where those are not kept, or where the caller knows that nothing has changed (`isSettled`).
 */
export async function readDaily(
  ctx: Context,
  organization: Organization,
  fromMs: number,
  { isSettled = false }: { isSettled?: boolean } = {},
): Promise<DailyTable | null> {
  const marks = await readMarks(ctx, organization._id, fromMs);
  const rows = await readRows(ctx, organization, fromMs, isSettled);
  if (rows === null) return null;
  const keyed = rows.map((row): [key: string, row: Row] => [keyOf(row), row]);
  keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const sorted = keyed.map(([, row]) => row);
  return {
    columns: COLUMNS,
    rows: sorted,
    costNusd: sumOf({ columns: COLUMNS, rows }, 'cost_usd'),
    isEmpty: rows.length === 0,
    hash: hashOf(marks.length === 0 ? sorted : [sorted, ...marks]),
  };
}

async function readRows(
  ctx: Context,
  organization: Organization,
  fromMs: number,
  isSettled: boolean,
): Promise<Row[] | null> {
  const question = { level: 'daily', fromMs, toMs: fromMs + DAY_MS, timezone: 'UTC', filter: {} } as const;
  try {
    return ofOneDay(await Array.fromAsync(flat(exportUsage(ctx, organization, question).rows)), fromMs);
  } catch (error) {
    if (!isCode(error, 'invalid_request')) throw error;
    const isRead = !isSettled && fromMs >= keptSinceMs(ctx);
    return isRead ? dailyRowsOfCalls(ctx, organization._id, fromMs) : null;
  }
}

/** Rows of one UTC day. An organization that has come to UTC had days of another timezone, two of which lie in one of UTC. */
function ofOneDay(rows: readonly Row[], fromMs: number): Row[] {
  const merged = new Map<string, Row>();
  for (const [, ...row] of rows) {
    const day: Row = [isoTime(fromMs), ...row];
    const key = keyOf(day);
    const known = merged.get(key);
    merged.set(key, known ? addRow(known, day) : day);
  }
  return [...merged.values()];
}

/** The row with the measures of both, which have the same texts. */
function addRow(row: Row, more: Row): Row {
  return row.map((value, at) => {
    const other = more[at];
    if (typeof value === 'bigint' && typeof other === 'bigint') return value + other;
    return typeof value === 'number' && typeof other === 'number' ? value + other : value;
  });
}

async function* flat(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Row> {
  for await (const rows of batches) yield* rows;
}

/**
 * A call that is voided and sent again, or that gets another price, may change what FOCUS files show, such as its provider or the
 * source of its cost, and leave all sums as they were: these counts tell. None where nothing was voided or priced anew.
 */
async function readMarks(ctx: Context, orgId: string, fromMs: number): Promise<number[]> {
  const voided = await countVoided(ctx, orgId, fromMs);
  const repriced = await countRepriced(ctx, orgId, { fromMs, toMs: fromMs + DAY_MS });
  if (repriced > 0) return [voided, repriced];
  return voided > 0 ? [voided] : [];
}

async function countVoided(ctx: Context, orgId: string, fromMs: number): Promise<number> {
  const ts = { $gte: dateAt(fromMs), $lt: dateAt(fromMs + DAY_MS) };
  const voided = { org_id: orgId, ts, 'voided.at': { $gt: dateAt(0) } };
  const [counted] = await signalRows(ctx)
    .aggregate<{ count: number }>([{ $match: voided }, { $count: 'count' }])
    .toArray();
  return counted?.count ?? 0;
}

export function sumOf({ columns, rows }: Pick<DailyTable, 'columns' | 'rows'>, column: string): bigint {
  const at = columns.findIndex(({ name }) => name === column);
  return rows.reduce((sum, row) => sum + BigInt(row[at] as bigint | number), 0n);
}

function keyOf(row: Row): string {
  return JSON.stringify(row.filter((_, index) => COLUMNS[index]?.type === 'text'));
}

/** Hashes values; whole numbers of any size are text. */
export function hashOf(values: unknown): string {
  const text = JSON.stringify(values, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return hash('sha256', text, 'hex').slice(0, 32);
}
