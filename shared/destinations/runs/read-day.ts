import { hash } from 'node:crypto';
import type { Columns, Row } from '../../exports/columns.ts';
import { exportUsage } from '../../exports/export-usage.ts';
import type { Organization } from '../../organizations/model.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import { matchingSessions } from '../../sessions/match-sessions.ts';
import { sessionRows } from '../../sessions/model.ts';

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

/** Reads the usage of a UTC day. Throws `invalid_request` where rollups no longer tell it. */
export async function readDaily(
  ctx: Context,
  organization: Organization,
  fromMs: number,
): Promise<DailyTable> {
  const question = { level: 'daily', fromMs, toMs: fromMs + DAY_MS, timezone: 'UTC', filter: {} } as const;
  const { columns, rows: batches } = exportUsage(ctx, organization, question);
  const keyed: [key: string, row: Row][] = [];
  for await (const rows of batches) for (const row of rows) keyed.push([keyOf(columns, row), row]);
  keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const rows = keyed.map(([, row]) => row);
  const costAt = columns.findIndex(({ type }) => type === 'money');
  const costNusd = rows.reduce((sum, row) => sum + BigInt(row[costAt] as bigint), 0n);
  return { columns, rows, costNusd, isEmpty: rows.length === 0, hash: hashOf(rows) };
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

const sum = (field: string) => ({ $sum: `$${field}` });
const SESSION_SUMS = {
  sessions: { $sum: 1 },
  open: { $sum: { $cond: [{ $eq: ['$state', 'open'] }, 1, 0] } },
  signals: sum('signal_count'),
  errors: sum('error_count'),
  interventions: sum('intervention_count'),
  unpriced: sum('unpriced_signals'),
  tokens_in: sum('tokens_in'),
  tokens_out: sum('tokens_out'),
  cost: { $sum: { $toLong: '$cost_nusd' } },
  last: { $max: '$last_activity_at' },
  ended: { $max: '$ended_at' },
};

/** Sums over the sessions that started on a UTC day. */
export async function sumSessions(ctx: Context, orgId: string, fromMs: number): Promise<DayTotals> {
  const started_at = { $gte: dateAt(fromMs), $lt: dateAt(fromMs + DAY_MS) };
  const stages = [...matchingSessions(orgId, {}, { started_at }), { $group: { _id: null, ...SESSION_SUMS } }];
  const [sums] = await sessionRows(ctx).aggregate(stages, { useBigInt64: true }).toArray();
  const { _id, ...totals } = sums ?? { _id: null, cost: 0 };
  return { hash: hashOf(totals), costNusd: BigInt(totals.cost), isEmpty: sums === undefined };
}
