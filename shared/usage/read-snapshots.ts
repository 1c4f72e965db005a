import type { ClientSession } from 'mongoose';
import { createPace } from '../platform/basics/next-turn.ts';
import type { Context } from '../platform/context/context.ts';
import { DIMENSIONS, snapshotRows, TOTAL_DIMENSIONS } from './model.ts';
import { snapshotKey } from './plan-stale-snapshots.ts';
import { keepTable, keptTable } from './snapshot-cache.ts';
import type { WholePart } from './split-range.ts';
import { openTable, type Table } from './table.ts';

/** The tables of a snapshot. Of large ones few are read at a time, so that neither memory nor the event loop holds many. */
const TABLES = {
  totals: { dimensions: TOTAL_DIMENSIONS, batchSize: 200 },
  cells: { dimensions: DIMENSIONS, batchSize: 4 },
} as const;

/** What a table takes beside what it holds: most are small. */
const ENTRY_BYTES = 1_000;

export interface SnapshotsRead {
  /** Parts whose table `use` got. The others are to be read from their rollups. */
  answered: ReadonlySet<WholePart>;
  /** Those among the others whose snapshot is to be made. */
  missing: readonly WholePart[];
}

/**
 * One of the tables of those snapshots that are there and not stale, as of the transaction's snapshot of the store; `use` gets
 * them one after the other, in no order. What is read stays in the memory of the process for the next question.
 */
export async function readSnapshots(
  ctx: Context,
  orgId: string,
  { parts, name }: { parts: readonly WholePart[]; name: keyof typeof TABLES },
  use: (part: WholePart, table: Table) => void,
  transaction: ClientSession,
): Promise<SnapshotsRead> {
  const { dimensions, batchSize } = TABLES[name];
  const keyed = parts.map((part) => ({ part, key: snapshotKey(orgId, part.period, part.fromMs) }));
  const heads = await snapshotRows(ctx)
    .find(
      { _id: { $in: keyed.map(({ key }) => key) } },
      { session: transaction, projection: { version: 1, is_stale: 1 }, batchSize: 5_000 },
    )
    .toArray();
  const versions = new Map(heads.filter((head) => !head.is_stale).map(({ _id, version }) => [_id, version]));
  const answered = new Set<WholePart>();
  const unread = new Map<string, WholePart>();
  const pace = createPace();
  for (const { part, key } of keyed) {
    const version = versions.get(key);
    if (version === undefined) continue;
    const table = keptTable(ctx, `${name} ${key}`, version);
    if (!table) {
      unread.set(key, part);
      continue;
    }
    use(part, table);
    answered.add(part);
    await pace();
  }
  const cursor = snapshotRows(ctx).find(
    { _id: { $in: [...unread.keys()] } },
    { session: transaction, projection: { version: 1, [name]: 1 }, promoteBuffers: true, batchSize },
  );
  for await (const { _id, version, [name]: stored } of cursor) {
    const part = unread.get(_id);
    if (!part || !stored) continue;
    const table = openTable(dimensions, stored);
    const bytes = ENTRY_BYTES + stored.values.length + stored.numbers.length;
    keepTable(ctx, `${name} ${_id}`, { version, table, bytes });
    use(part, table);
    answered.add(part);
  }
  return { answered, missing: keyed.filter(({ key }) => !versions.has(key)).map(({ part }) => part) };
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
