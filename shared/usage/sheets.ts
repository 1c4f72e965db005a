import type { ClientSession } from 'mongoose';
import { hashedKey } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';

import { keepSheet, keptSheet } from './kept-sheets.ts';
import {
  DIMENSIONS,
  MEASURES,
  type OpenSheet,
  type Rollup,
  type Sheet,
  usageSheetRows,
  usageTotalRows,
} from './model.ts';
import type { Read } from './plan-reads.ts';
import { isZeros } from './totals.ts';

/** One whole day or month. */
export type SheetPeriod = Pick<Read, 'period' | 'fromMs'>;

/** MongoDB holds documents of 16 MiB. A period of more (some 100,000 rollups) has no sheet and is read from its rollups. */
const MOST_BYTES = 12 * 2 ** 20;
/** Numbers of one rollup. */
export const ROW_CELLS = DIMENSIONS.length + MEASURES.length;

/** The sheet of a period's rollups, or null when there is nothing in them or too much. Equal rollups, equal sheet. Pure. */
export function sheetOf(
  orgId: string,
  { period, fromMs }: SheetPeriod,
  rollups: readonly Rollup[],
  version: number,
): Sheet | null {
  const rows = rollups.filter((row) => !isZeros(row)).sort((a, b) => (a._id < b._id ? -1 : 1));
  const dictionaries = DIMENSIONS.map((name) => [...new Set(rows.map((row) => row[name]))].sort());
  const places = dictionaries.map((values) => new Map(values.map((value, place) => [value, place])));
  const cells = new Float64Array(rows.length * ROW_CELLS);
  rows.forEach((row, index) => {
    const at = DIMENSIONS.map((name, dimension) => places[dimension]?.get(row[name]) ?? 0);
    cells.set([...at, ...MEASURES.map((measure) => row[measure])], index * ROW_CELLS);
  });
  const values = JSON.stringify(dictionaries);
  if (rows.length === 0 || Buffer.byteLength(values) + cells.byteLength > MOST_BYTES) return null;
  const _id = sheetKey(orgId, period, fromMs);
  const start = new Date(fromMs);
  return { _id, org_id: orgId, period, start, version, values, cells: Buffer.from(cells.buffer) };
}

export function sheetKey(orgId: string, period: Read['period'], startMs: number): string {
  return hashedKey(18, orgId, period, startMs);
}

function openSheet({ values, cells }: Pick<Sheet, 'values' | 'cells'>): OpenSheet {
  // A copy, as numbers of 8 bytes must begin at a multiple of 8.
  return { values: JSON.parse(values), cells: new Float64Array(new Uint8Array(cells).buffer) };
}

/**
 * Of whole days or months those whose sheet is what their rollups are, one at a time. The others have changed since
 * theirs was made, or have none: their rollups are to be read. In a transaction, both are of its snapshot. With `keeps`
 * what is read stays in memory: whoever walks through all days once does without.
 */
export async function* freshSheets<Period extends SheetPeriod>(
  ctx: Context,
  orgId: string,
  periods: readonly Period[],
  { transaction, keeps = false }: { transaction?: ClientSession | undefined; keeps?: boolean } = {},
): AsyncGenerator<{ of: Period; sheet: OpenSheet }> {
  const asked = new Map(periods.map((of) => [sheetKey(orgId, of.period, of.fromMs), of]));
  const versions = await readVersions(ctx, orgId, periods, transaction);
  const unknown: string[] = [];
  for (const [key, of] of asked) {
    const version = versions.get(key);
    if (version === undefined) continue;
    const sheet = keptSheet(ctx, key, version);
    if (sheet) yield { of, sheet };
    else unknown.push(key);
  }
  if (unknown.length === 0) return;
  const options = { ...sessionOption(transaction), promoteBuffers: true, batchSize: BATCH_SHEETS };
  const cursor = usageSheetRows(ctx).find({ _id: { $in: unknown } }, options);
  try {
    for await (const { _id, version, values, cells } of cursor) {
      const of = asked.get(_id);
      if (!of || version !== versions.get(_id)) continue;
      const sheet = openSheet({ values, cells });
      if (keeps) keepSheet(ctx, _id, { version, sheet, bytes: cells.byteLength + values.length });
      yield { of, sheet };
    }
  } finally {
    await cursor.close();
  }
}

/**
 * Whether a period's sheet is what its rollups must be, where it claims to be (`version`). With `repair` the sheet is
 * made, or made again as of the version that comes `next`.
 */
export async function settleSheet(
  ctx: Context,
  orgId: string,
  of: SheetPeriod & { version: number; next: number; rollups: readonly Rollup[]; repair: boolean },
  transaction: ClientSession,
): Promise<boolean> {
  const sheets = usageSheetRows(ctx);
  const wanted = sheetOf(orgId, of, of.rollups, of.next);
  const filter = { _id: sheetKey(orgId, of.period, of.fromMs) };
  const there = await sheets.findOne(filter, { session: transaction, promoteBuffers: true });
  const isSame = wanted?.values === there?.values && (!wanted || there?.cells.equals(wanted.cells) === true);
  if (of.repair && !(isSame && wanted?.version === there?.version)) {
    if (wanted) await sheets.replaceOne(filter, wanted, { session: transaction, upsert: true });
    else await sheets.deleteOne(filter, { session: transaction });
  }
  return isSame || there?.version !== of.version;
}

/** Few, so that neither memory nor the event loop holds many at a time. */
const BATCH_SHEETS = 4;

/** How often the rollups of periods have been written, by the key of their sheet. */
async function readVersions(
  ctx: Context,
  orgId: string,
  periods: readonly SheetPeriod[],
  transaction?: ClientSession,
): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (const [period, some] of Map.groupBy(periods, (of) => of.period)) {
    const starts = some.map((of) => of.fromMs);
    const start = { $gte: new Date(Math.min(...starts)), $lte: new Date(Math.max(...starts)) };
    const rows = await usageTotalRows(ctx)
      .aggregate(
        [
          { $match: { org_id: orgId, period, start } },
          { $group: { _id: '$start', writes: { $sum: '$writes' } } },
        ],
        { ...sessionOption(transaction), batchSize: 10_000 },
      )
      .toArray();
    for (const row of rows) versions.set(sheetKey(orgId, period, row._id.getTime()), Number(row.writes));
  }
  return versions;
}

function sessionOption(transaction: ClientSession | undefined): { session?: ClientSession } {
  return transaction ? { session: transaction } : {};
}
