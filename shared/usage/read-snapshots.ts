import type { ClientSession } from 'mongoose';
import { nextTurn } from '../platform/basics/next-turn.ts';
import type { Context } from '../platform/context/context.ts';
import { DIMENSIONS, type Snapshot, snapshotRows, TOTAL_DIMENSIONS } from './model.ts';
import { snapshotKey } from './plan-stale-snapshots.ts';
import { cacheCells, cachedCells } from './snapshot-cache.ts';
import type { WholePart } from './split-range.ts';
import { openTable, type Table } from './table.ts';

/** Called with the table of one day or month after the other, in no order. */
type Use = (part: WholePart, table: Table) => void;

export interface SnapshotsRead {
  /** Parts whose table `use` got. The others are to be read from their rollups. */
  answered: ReadonlySet<WholePart>;
  /** Those among the others whose snapshot is to be made. */
  missing: readonly WholePart[];
}

/** The totals of those snapshots that are there and not stale; in a transaction, as of its snapshot of the store. */
export async function readTotals(
  ctx: Context,
  orgId: string,
  parts: readonly WholePart[],
  use: Use,
  transaction: ClientSession,
): Promise<SnapshotsRead> {
  const answered = new Set<WholePart>();
  const heads = await readHeads(ctx, orgId, parts, transaction);
  for (const { part, head } of heads) {
    if (head?.is_stale !== false || !head.totals) continue;
    use(part, openTable(TOTAL_DIMENSIONS, head.totals));
    answered.add(part);
  }
  return { answered, missing: missingOf(heads) };
}

/** Few, so that neither memory nor the event loop holds many at a time. */
const BATCH_SNAPSHOTS = 4;

/**
 * The cells of those snapshots that are there and not stale; in a transaction, as of its snapshot of the store. What is
 * read stays in the memory of the process for the next question.
 */
export async function readCells(
  ctx: Context,
  orgId: string,
  parts: readonly WholePart[],
  use: Use,
  transaction: ClientSession,
): Promise<SnapshotsRead> {
  const answered = new Set<WholePart>();
  const heads = await readHeads(ctx, orgId, parts, transaction);
  const unread = new Map<string, WholePart>();
  for (const { part, key, head } of heads) {
    if (head?.is_stale !== false) continue;
    const table = cachedCells(ctx, key, head.version);
    if (!table) {
      unread.set(key, part);
      continue;
    }
    use(part, table);
    answered.add(part);
    await nextTurn();
  }
  const cursor = snapshotRows(ctx).find(
    { _id: { $in: [...unread.keys()] } },
    { session: transaction, projection: { totals: 0 }, promoteBuffers: true, batchSize: BATCH_SNAPSHOTS },
  );
  for await (const { _id, version, cells } of cursor) {
    const part = unread.get(_id);
    if (!part || !cells) continue;
    const table = openTable(DIMENSIONS, cells);
    cacheCells(ctx, _id, { version, table, bytes: cells.values.length + cells.numbers.length });
    use(part, table);
    answered.add(part);
  }
  return { answered, missing: missingOf(heads) };
}

/** The cells of one day or month, as of now; null when the rollups must be read. Nothing is kept in memory. */
export async function readCellsOnce(ctx: Context, orgId: string, part: WholePart): Promise<Table | null> {
  const _id = snapshotKey(orgId, part.period, part.fromMs);
  const row = await snapshotRows(ctx).findOne(
    { _id },
    { projection: { is_stale: 1, cells: 1 }, promoteBuffers: true },
  );
  return row?.is_stale === false && row.cells ? openTable(DIMENSIONS, row.cells) : null;
}

interface FoundHead {
  part: WholePart;
  key: string;
  head: Omit<Snapshot, 'cells'> | undefined;
}

/** All of the snapshots but their cells. */
async function readHeads(
  ctx: Context,
  orgId: string,
  parts: readonly WholePart[],
  transaction: ClientSession,
): Promise<FoundHead[]> {
  const keyed = parts.map((part) => ({ part, key: snapshotKey(orgId, part.period, part.fromMs) }));
  const rows = await snapshotRows(ctx)
    .find(
      { _id: { $in: keyed.map(({ key }) => key) } },
      { session: transaction, projection: { cells: 0 }, promoteBuffers: true, batchSize: 5_000 },
    )
    .toArray();
  const heads = new Map(rows.map((row) => [row._id, row]));
  return keyed.map(({ part, key }) => ({ part, key, head: heads.get(key) }));
}

function missingOf(heads: readonly FoundHead[]): WholePart[] {
  return heads.filter(({ head }) => head?.is_stale !== false).map(({ part }) => part);
}
