import type { ClientSession } from 'mongoose';
import { CLOCK_LAG_MS, dateAt } from '../../../platform/basics/clock.ts';
import { hashedKey } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import { updateRow, type Write } from '../../../platform/mongo/writes.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { periodEnd, periodStarts } from './calendar.ts';
import { type Cell, unpackCells } from './cells.ts';
import {
  CELL_DIMENSIONS,
  ROLLUP_DIMENSIONS,
  type Snapshot,
  type SnapshotPeriod,
  snapshotRows,
  TOTAL_DIMENSIONS,
} from './model.ts';
import type { Part, WholePart } from './split-range.ts';

/**
 * How long after the end of a day or month its snapshot may be made, and how long after it a changed rollup begins to
 * mark it. A transaction that changed rollups without a mark began before the second; it cannot last until the first
 * (15 s, and a minute where its process was killed), also when the clocks of two processes differ by a minute.
 */
const MADE_AFTER_MS = 10 * 60_000;
const MARKED_AFTER_MS = 5 * 60_000;

/** The identity of a snapshot: uniqueness is the primary key's. */
export function snapshotKey(orgId: string, period: SnapshotPeriod, startMs: number): string {
  return hashedKey(18, orgId, period, startMs);
}

/** Returns whether a part is a day or month that no unmarked change can reach any more. */
export function mayBeMade(part: Part, nowMs: number): part is WholePart {
  return part.period !== 'quarter_hour' && part.toMs + MADE_AFTER_MS <= nowMs;
}

/**
 * The writes that mark the snapshots of those days (starts, epoch ms) that have closed, and of their months, in the
 * transaction that changes their rollups. Each is an upsert of the snapshot's own row, so a process that makes this
 * snapshot at the same time conflicts with it, and makes it again. A period that closes soon has a snapshot only if
 * this process has a clock that is behind: then it is marked too. Pure.
 */
export function planStaleSnapshots(
  organization: Pick<Organization, '_id' | 'timezones'>,
  days: Iterable<number>,
  nowMs: number,
): Write[] {
  const { _id: orgId, timezones } = organization;
  const ageOf = (period: SnapshotPeriod, startMs: number) => nowMs - periodEnd(timezones, period, startMs);
  const mayHaveOne = (period: SnapshotPeriod) => (startMs: number) => ageOf(period, startMs) >= -CLOCK_LAG_MS;
  const mark = (period: SnapshotPeriod) => (startMs: number) =>
    markStale(orgId, period, startMs, { upsert: ageOf(period, startMs) >= MARKED_AFTER_MS });
  // A month ends no sooner than each of its days.
  const late = [...days].filter(mayHaveOne('day'));
  const months = new Set(late.map((dayMs) => periodStarts(organization, dayMs).month));
  return [...late.map(mark('day')), ...[...months].filter(mayHaveOne('month')).map(mark('month'))];
}

/**
 * The write that marks one snapshot, also one that is not there unless `upsert` is false. The sums go at once, so that
 * the next mark rewrites a small row.
 */
export function markStale(
  orgId: string,
  period: SnapshotPeriod,
  startMs: number,
  { upsert = true }: { upsert?: boolean } = {},
): Write {
  const update = {
    $set: { is_stale: true },
    $inc: { version: 1 },
    $unset: { totals: true, cells: true, works: true, dimensions: true },
    $setOnInsert: { org_id: orgId, period, start: dateAt(startMs) },
  } as const;
  return updateRow(snapshotRows, { _id: snapshotKey(orgId, period, startMs) }, update, { upsert });
}

const TABLES = {
  totals: { dimensions: TOTAL_DIMENSIONS, batchSize: 200 },
  // One of 1,000 users has 150 kB.
  cells: { dimensions: CELL_DIMENSIONS, batchSize: 4 },
  works: { dimensions: ROLLUP_DIMENSIONS, batchSize: 4 },
} as const;

/** The table that answers in the place of an absent one: where no call belongs to a work, the cells have all sums. */
const INSTEAD = { totals: 'totals', cells: 'cells', works: 'cells' } as const;

/**
 * Returns true when a snapshot needs not be made: it is not stale, and its cells have every dimension. One of a version that knew
 * no works has none, as its calls had none, or it is stale. Pure.
 */
export function isCurrent(row: Pick<Snapshot, 'is_stale' | 'dimensions'>): boolean {
  return !row.is_stale && row.dimensions === CELL_DIMENSIONS.length;
}

interface Opened {
  version: number;
  cells: readonly Cell[];
}

/** The tables that this process has read, by name and key: 128 MB at the most. Longer ones are parsed each time. */
const openedTables = boundedCache<string, Opened>({ max: 128 });
const MOST_KEPT_CELLS = 5_000;

export interface SnapshotsRead {
  /** Parts whose table `use` got. The others are to be read from their rollups. */
  answered: ReadonlySet<WholePart>;
  /** Those among the others whose snapshot is to be made. */
  missing: readonly WholePart[];
}

/**
 * Reads one of the tables of those snapshots that are there and not stale, as of the transaction's snapshot of the
 * store; for a question about providers only those that know them. `use` gets them one after the other, in no order.
 */
export async function readSnapshots(
  ctx: Context,
  orgId: string,
  {
    parts,
    name,
    byProvider,
  }: { parts: readonly WholePart[]; name: keyof typeof TABLES; byProvider: boolean },
  use: (part: WholePart, cells: readonly Cell[]) => Promise<void>,
  transaction: ClientSession,
): Promise<SnapshotsRead> {
  const { dimensions, batchSize } = TABLES[name];
  const opened = openedTables(ctx);
  const byKey = new Map(parts.map((part) => [snapshotKey(orgId, part.period, part.fromMs), part]));
  const heads = await snapshotRows(ctx)
    .find(
      { _id: { $in: [...byKey.keys()] } },
      { session: transaction, projection: { version: 1, is_stale: 1, dimensions: 1 }, batchSize: 5_000 },
    )
    .toArray();
  const fresh = heads.filter((head) => (byProvider ? isCurrent(head) : !head.is_stale));
  const current = new Set(fresh.map(({ _id }) => byKey.get(_id)));
  const missing = parts.filter((part) => !current.has(part));
  const answered = new Set<WholePart>();
  const answer = async (key: string, cells: readonly Cell[]) => {
    const part = byKey.get(key);
    if (!part) return;
    await use(part, cells);
    answered.add(part);
  };
  const unread: string[] = [];
  for (const { _id, version } of fresh) {
    const known = opened.get(`${name} ${_id}`);
    if (known?.version === version) await answer(_id, known.cells);
    else unread.push(_id);
  }
  const rows = snapshotRows(ctx).find(
    { _id: { $in: unread } },
    { session: transaction, projection: { version: 1, [name]: 1, [INSTEAD[name]]: 1 }, batchSize },
  );
  for await (const { _id, version, ...tables } of rows) {
    const text = tables[name] === undefined ? tables[INSTEAD[name]] : tables[name];
    if (typeof text !== 'string') continue;
    const cells = [...unpackCells(dimensions, text)];
    if (cells.length <= MOST_KEPT_CELLS) opened.set(`${name} ${_id}`, { version, cells });
    await answer(_id, cells);
  }
  return { answered, missing };
}

/** The cells of one day or month, as of now, in the order of `unpackCells`; null when the rollups must be read. */
export async function readCellsOnce(
  ctx: Context,
  orgId: string,
  part: WholePart,
  name: 'cells' | 'works',
): Promise<Iterable<Cell> | null> {
  const _id = snapshotKey(orgId, part.period, part.fromMs);
  const projection = { is_stale: 1, cells: 1, works: 1 };
  const row = await snapshotRows(ctx).findOne({ _id }, { projection });
  const text = name === 'works' && row?.works !== undefined ? row.works : row?.cells;
  return row?.is_stale === false && typeof text === 'string' ? unpackCells(ROLLUP_DIMENSIONS, text) : null;
}
