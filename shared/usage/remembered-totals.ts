import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { boundedCache } from '../platform/context/cache.ts';
import type { Context } from '../platform/context/context.ts';
import { sumsOf } from './measures.ts';
import { type Dimensions, rollupRows, snapshotRows, TOTAL_DIMENSIONS } from './model.ts';
import { quarterHorizonMs } from './periods.ts';
import { mayBeMade, snapshotKey } from './plan-stale-snapshots.ts';
import { matchStages, sumStage } from './rollup-stages.ts';
import { joinParts, type Part, rollupPeriodOf, type WholePart, wholeParts } from './split-range.ts';
import { type CellRow, openTable, type Table, tablesOf } from './table.ts';

/** The totals of one rollup period within a day. */
interface Total {
  startMs: number;
  table: Table;
}

interface Kept {
  /** Of the row of the day's snapshot; 0 while there is none. */
  version: number;
  /** Null: they hold more money than a number does, or are too many to be kept. */
  totals: readonly Total[] | null;
}

/** Of one process: 20 MB at the most. */
const keptTotals = boundedCache<string, Kept>({ max: 100 });
const MOST_BYTES = 200_000;
/** Days of one question: more are read at once, and not kept. */
const MOST_DAYS = 62;

/** What a part has of one day. */
interface Piece {
  part: Part;
  day: WholePart;
  /** The key of the day's snapshot. */
  key: string;
}

/**
 * The totals of days that have closed, in quarter hours or whole where no snapshot holds them. `use` gets them one after
 * the other. A process sums up such a day once and remembers it for as long as the version of its snapshot's row stays:
 * every change of a closed day's rollups raises that in its own transaction. Returns the parts that are left to be read.
 */
export async function readRememberedTotals(
  ctx: Context,
  organization: Organization,
  parts: readonly Part[],
  use: (part: Part, table: Table) => void,
  transaction: ClientSession,
): Promise<Part[]> {
  const nowMs = ctx.clock.now();
  const pieces = parts.flatMap((part) => piecesOf(organization, part));
  const closed = pieces.filter((piece) => isClosed(piece, nowMs));
  if (closed.length === 0 || closed.length > MOST_DAYS) return [...parts];
  const left = pieces.filter((piece) => !closed.includes(piece)).map(({ part }) => part);
  const found = await recall(ctx, organization._id, closed, transaction);
  for (const piece of closed) {
    const { part } = piece;
    const totals = found.get(piece);
    if (!totals) left.push(part);
    for (const { startMs, table } of totals ?? [])
      if (startMs >= part.fromMs && startMs < part.toMs) use({ ...part, fromMs: startMs }, table);
  }
  return left;
}

function piecesOf(organization: Organization, part: Part): Piece[] {
  return [...wholeParts(organization, 'day', part.fromMs, part.toMs)].map((day) => {
    const fromMs = Math.max(part.fromMs, day.fromMs);
    const key = snapshotKey(organization._id, 'day', day.fromMs);
    return { part: { ...part, fromMs, toMs: Math.min(part.toMs, day.toMs) }, day, key };
  });
}

/** Whether no change of the day can commit unmarked, and none of its quarter hours may be purged. */
function isClosed({ day, part }: Piece, nowMs: number): boolean {
  return mayBeMade(day, nowMs) && (part.period !== 'quarter_hour' || day.fromMs >= quarterHorizonMs(nowMs));
}

/** The totals of the days of these pieces: those that are known at their version, and the others from the rollups. */
async function recall(
  ctx: Context,
  orgId: string,
  pieces: readonly Piece[],
  transaction: ClientSession,
): Promise<ReadonlyMap<Piece, Kept['totals']>> {
  const kept = keptTotals(ctx);
  const rows = await snapshotRows(ctx)
    .find(
      { _id: { $in: [...new Set(pieces.map(({ key }) => key))] } },
      { session: transaction, projection: { version: 1 } },
    )
    .toArray();
  const versions = new Map(rows.map(({ _id, version }) => [_id, version]));
  const found = new Map<Piece, Kept['totals']>();
  const unknown: Piece[] = [];
  for (const piece of pieces) {
    const known = kept.get(placeOf(piece));
    if (known?.version === (versions.get(piece.key) ?? 0)) found.set(piece, known.totals);
    else unknown.push(piece);
  }
  // Two pieces of one day are what lies before and after a part of it.
  const days = new Map(unknown.map((piece) => [placeOf(piece), piece]));
  const read = await readTotals(ctx, orgId, [...days.values()], transaction);
  for (const piece of unknown) {
    const totals = tablesIn(read.filter((row) => isOf(row, piece)));
    kept.set(placeOf(piece), { version: versions.get(piece.key) ?? 0, totals });
    found.set(piece, totals);
  }
  return found;
}

function placeOf({ part, key }: Piece): string {
  return `${rollupPeriodOf(part)} ${key}`;
}

interface TotalRow {
  period: Part['period'];
  startMs: number;
  cell: CellRow;
}

/** A question may ask for a day and take away some of its quarter hours. */
function isOf({ period, startMs }: TotalRow, { day, part }: Piece): boolean {
  return period === rollupPeriodOf(part) && startMs >= day.fromMs && startMs < day.toMs;
}

/** By period, neighbouring days at once. */
async function readTotals(
  ctx: Context,
  orgId: string,
  pieces: readonly Piece[],
  transaction: ClientSession,
): Promise<TotalRow[]> {
  const days = pieces.map(({ day, part }): Part => ({ ...day, period: rollupPeriodOf(part) }));
  const rows: TotalRow[] = [];
  const ordered = days.toSorted((a, b) => a.period.localeCompare(b.period) || a.fromMs - b.fromMs);
  for (const part of joinParts(ordered)) {
    const stages = [...matchStages(orgId, part, {}), sumStage(['start', ...TOTAL_DIMENSIONS])];
    const options = { useBigInt64: true, session: transaction };
    for await (const { _id: of, ...row } of rollupRows(ctx).aggregate(stages, options))
      rows.push({ period: part.period, startMs: of.start.getTime(), cell: cellOf(of, row) });
  }
  return rows;
}

function cellOf({ model, adapter }: Dimensions, row: Record<string, unknown>): CellRow {
  const { cost_nusd, ...counts } = sumsOf(row);
  return { ...counts, cost_nusd: Number(cost_nusd), user_id: '', project_id: '', model, adapter };
}

function tablesIn(rows: readonly TotalRow[]): Total[] | null {
  const totals: Total[] = [];
  let bytes = 0;
  for (const [startMs, own] of Map.groupBy(rows, (row) => row.startMs)) {
    const { totals: stored } = tablesOf(own.map(({ cell }) => cell));
    bytes += (stored?.values.length ?? 0) + (stored?.numbers.length ?? 0);
    if (stored === null || bytes > MOST_BYTES) return null;
    totals.push({ startMs, table: openTable(TOTAL_DIMENSIONS, stored) });
  }
  return totals;
}
