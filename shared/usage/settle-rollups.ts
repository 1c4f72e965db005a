import type { ClientSession, mongo } from 'mongoose';
import type { Context } from '../platform/context/context.ts';

import { incrementOf } from './add-to-rollups.ts';
import { MEASURES, type Measures, type Rollup, rollupRows, type Total, usageTotalRows } from './model.ts';
import type { Read } from './plan-reads.ts';
import { settleSheet } from './sheets.ts';
import { addRow, isZeros, totalKey, totalsOf } from './totals.ts';

export async function findRows<Row extends Rollup | Total>(
  ctx: Context,
  rowsOf: (ctx: Context) => mongo.Collection<Row>,
  orgId: string,
  reads: readonly Read[],
  transaction: ClientSession,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { period, fromMs, toMs } of reads) {
    const start = { $gte: new Date(fromMs), $lt: new Date(toMs) };
    const filter = { org_id: orgId, period, start } as mongo.Filter<Row>;
    const found = await rowsOf(ctx).find(filter, { session: transaction, batchSize: 5_000 }).toArray();
    rows.push(...(found as Row[]));
  }
  return rows;
}

interface Difference {
  right: Rollup;
  there: Rollup;
}

interface Settled {
  /** Rows of any kind that were not as they must be. */
  wrong: number;
  /** The rollups among them. */
  differing: Difference[];
}

/**
 * Holds the rollups of these reads against what they must be, their totals and sheets likewise, and with `repair`
 * writes what differs.
 */
export async function settle(
  ctx: Context,
  orgId: string,
  asked: { reads: readonly Read[]; right: readonly Rollup[]; there: readonly Rollup[]; repair: boolean },
  transaction: ClientSession,
): Promise<Settled> {
  const { reads, right, repair } = asked;
  const totals = await findRows(ctx, usageTotalRows, orgId, reads, transaction);
  const differing = differencesOf(right, asked.there);
  const missing = missingTotals(right, totals);
  if (repair) await write(ctx, differing, missing, transaction);
  let wrong = differing.length + missing.length;
  for (const read of reads) {
    if (read.period === 'quarter_hour' || read.toMs > ctx.clock.now()) continue;
    const isOfIt = (row: Rollup | Total) => row.period === read.period && row.start.getTime() === read.fromMs;
    const version = versionOf(totals.filter(isOfIt));
    const next = repair ? version + versionOf(missing.filter(isOfIt)) : version;
    const of = { ...read, version, next, rollups: right.filter(isOfIt), repair };
    if (!(await settleSheet(ctx, orgId, of, transaction))) wrong += 1;
  }
  return { wrong, differing };
}

/** A row of zeros is as good as none. */
function differencesOf(right: readonly Rollup[], there: readonly Rollup[]): Difference[] {
  const wanted = new Set(right.map((row) => row._id));
  const known = new Map(there.map((row) => [row._id, row]));
  const unwanted = there.filter((row) => !wanted.has(row._id));
  return [
    ...right.map((row) => ({ right: row, there: known.get(row._id) ?? { ...row, ...ZEROS } })),
    ...unwanted.map((row) => ({ right: { ...row, ...ZEROS }, there: row })),
  ].filter((pair) => MEASURES.some((measure) => pair.right[measure] !== pair.there[measure]));
}

const ZEROS = Object.fromEntries(MEASURES.map((measure) => [measure, 0])) as Measures;

/**
 * What to add to slot 0, so that the totals are the sum of their rollups. What a signal adds meanwhile in another slot
 * stays right: the difference is one of this transaction's snapshot.
 */
function missingTotals(rollups: readonly Rollup[], there: readonly Total[]): Total[] {
  const missing = new Map(totalsOf(rollups, 0).map((total) => [total._id, total]));
  for (const row of there) addRow(missing, { ...negated(row), _id: totalKey(row, 0), writes: 1 });
  return [...missing.values()].filter((row) => !isZeros(row));
}

/** The row with each measure taken away instead of added. */
export function negated<Row extends Measures>(row: Row): Row {
  return { ...row, ...Object.fromEntries(MEASURES.map((measure) => [measure, -row[measure]])) };
}

function versionOf(totals: readonly Total[]): number {
  return totals.reduce((sum, { writes }) => sum + (writes ?? 0), 0);
}

async function write(
  ctx: Context,
  differing: readonly Difference[],
  missing: readonly Total[],
  transaction: ClientSession,
): Promise<void> {
  const options = { session: transaction, ordered: false };
  const writes = differing.map(({ right }): mongo.AnyBulkWriteOperation<Rollup> => {
    const filter = { _id: right._id };
    return isZeros(right)
      ? { deleteOne: { filter } }
      : { replaceOne: { filter, replacement: right, upsert: true } };
  });
  if (writes.length > 0) await rollupRows(ctx).bulkWrite(writes, options);
  if (missing.length > 0) await usageTotalRows(ctx).bulkWrite(missing.map(incrementOf), options);
}
