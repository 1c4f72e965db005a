import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import type { Context } from '../platform/context/context.ts';
import { applyWrites, deleteRows, replaceRow, type Write } from '../platform/mongo/writes.ts';
import { isZeros, noMeasures } from './add-measures.ts';
import { replaceSnapshot, snapshotOf } from './make-snapshots.ts';
import { MEASURES, type Measures, type Rollup, rollupRows, snapshotRows } from './model.ts';
import { mayBeMade, planStaleSnapshots, snapshotKey } from './plan-stale-snapshots.ts';
import type { Part, WholePart } from './split-range.ts';
import { type CellRow, isSameTable } from './table.ts';

export interface Difference {
  right: Rollup;
  there: Rollup;
}

export interface ReconciledRows {
  /** Rollups and snapshots that were not as they must be. */
  wrong: number;
  /** The rollups among them. */
  differing: Difference[];
}

/**
 * Compares the rollups of these parts, and the snapshots that claim to be theirs, with what they must be. With
 * `repair`, writes what differs and makes the snapshots that are missing.
 */
export async function reconcileRows(
  ctx: Context,
  organization: Organization,
  asked: { parts: readonly Part[]; right: readonly Rollup[]; there: readonly Rollup[]; repair: boolean },
  transaction: ClientSession,
): Promise<ReconciledRows> {
  const { parts, right, there, repair } = asked;
  const nowMs = ctx.clock.now();
  const differing = differencesOf(right, there);
  let wrong = differing.length;
  const closed = parts.filter((part) => mayBeMade(part, nowMs));
  for (const part of closed) {
    const cells = right.filter((row) => row.period === part.period && row.start.getTime() === part.fromMs);
    // Its version names its quarter hours too: whoever remembers them reads them again (remembered-totals.ts).
    const isChanged = differing.some(({ right: row }) => isWithin(part, row));
    const checked = { cells, repair, isChanged };
    const isRight = await reconcileSnapshot(ctx, organization._id, part, checked, transaction);
    if (!isRight) wrong += 1;
  }
  if (!repair) return { wrong, differing };
  const isReplaced = ({ right: row }: Difference) =>
    closed.some(({ period, fromMs }) => period === row.period && fromMs === row.start.getTime());
  const elsewhere = differing.filter((difference) => !isReplaced(difference));
  const stale = planStaleSnapshots(
    organization,
    elsewhere.map((difference) => difference.right),
    nowMs,
  );
  await applyWrites(ctx, [...differing.map(repairOf), ...stale], transaction);
  return { wrong, differing };
}

function isWithin({ fromMs, toMs }: Part, { start }: Rollup): boolean {
  return start.getTime() >= fromMs && start.getTime() < toMs;
}

/** A row of zeros is as good as none. */
function differencesOf(right: readonly Rollup[], there: readonly Rollup[]): Difference[] {
  const wanted = new Set(right.map((row) => row._id));
  const known = new Map(there.map((row) => [row._id, row]));
  const unwanted = there.filter((row) => !wanted.has(row._id));
  const none = noMeasures();
  return [
    ...right.map((row) => ({ right: row, there: known.get(row._id) ?? { ...row, ...none } })),
    ...unwanted.map((row) => ({ right: { ...row, ...none }, there: row })),
  ].filter((pair) => MEASURES.some((measure) => pair.right[measure] !== pair.there[measure]));
}

/** The row with each measure taken away instead of added. */
export function negated<Row extends Measures>(row: Row): Row {
  return { ...row, ...Object.fromEntries(MEASURES.map((measure) => [measure, -row[measure]])) };
}

function repairOf({ right }: Difference): Write {
  return isZeros(right)
    ? deleteRows(rollupRows, { _id: right._id }, { org_id: right.org_id })
    : replaceRow(rollupRows, right, { upsert: true });
}

/** Whether a snapshot that claims to be current is what its rollups must be. With `repair` it is so afterwards. */
export async function reconcileSnapshot(
  ctx: Context,
  orgId: string,
  part: WholePart,
  { cells, repair, isChanged = false }: { cells: readonly CellRow[]; repair: boolean; isChanged?: boolean },
  transaction: ClientSession,
): Promise<boolean> {
  const _id = snapshotKey(orgId, part.period, part.fromMs);
  const there = await snapshotRows(ctx).findOne({ _id }, { session: transaction, promoteBuffers: true });
  const wanted = snapshotOf(orgId, part, cells, (there?.version ?? 0) + 1);
  const isFresh = there?.is_stale === false;
  const isSame =
    isSameTable(there?.totals, wanted.totals ?? null) && isSameTable(there?.cells, wanted.cells ?? null);
  if (repair && (isChanged || !(isFresh && isSame))) await replaceSnapshot(ctx, wanted, transaction);
  return !isFresh || isSame;
}
