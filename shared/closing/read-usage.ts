import { hash } from 'node:crypto';
import type { Columns, Row } from '../exports/columns.ts';
import { exportUsage } from '../exports/export-usage.ts';
import type { Organization } from '../organizations/model.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { isCode } from '../platform/basics/errors.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { signalRows } from '../signals/model.ts';

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

/** Reads the usage of a UTC day, or null where rollups no longer tell it: then nothing can change it any more. */
export async function readDaily(
  ctx: Context,
  organization: Organization,
  fromMs: number,
): Promise<DailyTable | null> {
  try {
    return await readTable(ctx, organization, fromMs);
  } catch (error) {
    if (isCode(error, 'invalid_request')) return null;
    throw error;
  }
}

async function readTable(ctx: Context, organization: Organization, fromMs: number): Promise<DailyTable> {
  const voided = await countVoided(ctx, organization._id, fromMs);
  const question = { level: 'daily', fromMs, toMs: fromMs + DAY_MS, timezone: 'UTC', filter: {} } as const;
  const { columns, rows: batches } = exportUsage(ctx, organization, question);
  const keyed: [key: string, row: Row][] = [];
  for await (const rows of batches) for (const row of rows) keyed.push([keyOf(columns, row), row]);
  keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const rows = keyed.map(([, row]) => row);
  const costNusd = sumOf({ columns, rows }, 'cost_usd');
  return {
    columns,
    rows,
    costNusd,
    isEmpty: rows.length === 0,
    hash: hashOf(voided === 0 ? rows : [rows, voided]),
  };
}

/**
 * A call that is voided and sent again may change what FOCUS files show, such as its provider, and leave all sums as they were: the
 * voided one tells.
 */
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

function keyOf(columns: Columns, row: Row): string {
  return JSON.stringify(row.filter((_, index) => columns[index]?.type === 'text'));
}

/** Hashes values; whole numbers of any size are text. */
export function hashOf(values: unknown): string {
  const text = JSON.stringify(values, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return hash('sha256', text, 'hex').slice(0, 32);
}
