import type { ClientSession } from 'mongoose';
import { recordAct } from '../audit/record-audit.ts';
import { forEachOrganization } from '../organizations/for-each-organization.ts';
import type { Organization } from '../organizations/model.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { applyWrites } from '../platform/mongo/apply-writes.ts';
import { inTransaction, LONG_TRANSACTION } from '../platform/mongo/transaction.ts';
import { addRow, measuresIn } from './add-measures.ts';
import { idOf } from './id-of.ts';
import { findRollups, makeSnapshots } from './make-snapshots.ts';
import { usageDrift } from './metrics.ts';
import { DIMENSIONS, type Rollup, snapshotRows } from './model.ts';
import { earliestCountedMs, quarterHorizonMs } from './periods.ts';
import { markStale, mayBeMade, planStaleSnapshots, snapshotKey } from './plan-stale-snapshots.ts';
import { differingOf, repairOf } from './reconcile-rows.ts';
import { type Part, type WholePart, wholeParts } from './split-range.ts';
import { sumOfSignals } from './sum-signals.ts';
import { type CellRow, isSameTable, tablesOf } from './table.ts';

export interface ReconcileOptions {
  /** Epoch ms; days and months that hold any of `[fromMs, toMs)`. Default: what a signal may still change. */
  fromMs?: number | undefined;
  toMs?: number | undefined;
  /** Writes what is right in place of what differs. */
  repair: boolean;
}

export interface Reconciled {
  days: number;
  months: number;
  /** Rollups that were not the sum of what lies below them, and snapshots of right rollups that were not theirs. */
  wrong: number;
  repaired: number;
}

/**
 * Compares an organization's rollups with the sum of its signals and sessions, one day at a time, and snapshots with
 * their rollups, each in one transaction. A rollup that a signal changes meanwhile conflicts and is looked at again, so
 * nothing is overwritten. A repair marks the snapshots of its day and month as stale, so what was done before a crash
 * stays right; they are made again at the end of the month. Where an old day has fewer signals than its rollups count,
 * they were purged, perhaps under another retention than the present one: then the rollups are the record, and only
 * the snapshot is compared.
 */
export async function reconcileUsage(
  ctx: Context,
  organization: Organization,
  options: ReconcileOptions,
): Promise<Reconciled> {
  const nowMs = ctx.clock.now();
  const firstMs = earliestCountedMs(organization.created_at.getTime());
  const fromMs = Math.max(options.fromMs ?? earliestCountedMs(nowMs), firstMs);
  const toMs = Math.min(options.toMs ?? nowMs + DAY_MS, nowMs + DAY_MS);
  const result = { days: 0, months: 0, wrong: 0, repaired: 0 };
  for (const month of wholeParts(organization, 'month', fromMs, toMs)) {
    const within = { fromMs: Math.max(fromMs, month.fromMs), toMs: Math.min(toMs, month.toMs) };
    let [rollups, snapshots] = [0, 0];
    for (const day of wholeParts(organization, 'day', within.fromMs, within.toMs)) {
      const wrong = await reconcileDay(ctx, organization, day, options.repair);
      rollups += wrong.rollups;
      snapshots += wrong.snapshots;
      result.days += 1;
    }
    if (rollups === 0) snapshots += await reconcileMonth(ctx, organization, month, options.repair);
    result.months += 1;
    result.wrong += rollups + snapshots;
    if (options.repair) await makeSnapshots(ctx, organization, within);
  }
  if (options.repair) result.repaired = result.wrong;
  await report(ctx, organization, result);
  return result;
}

async function report(ctx: Context, organization: Organization, result: Reconciled): Promise<void> {
  if (result.wrong === 0) return;
  usageDrift(ctx).inc(result.wrong);
  ctx.log.error({ org_id: organization._id, ...result }, 'rollups were not the sum of their signals');
  if (result.repaired === 0) return;
  const details = { ...result };
  await recordAct(ctx, { action: 'usage.reconcile', org_id: organization._id, details });
}

/** No signal is purged before it is as old as one may be when it arrives; two days for its day, and for clocks that differ. */
const MAY_BE_PURGED_MS = SIGNAL_AGE_MS.behind - 2 * DAY_MS;

function signalsIn(rollups: readonly Rollup[]): number {
  const days = rollups.filter(({ period }) => period === 'day');
  return days.reduce((sum, { signals }) => sum + signals, 0);
}

/** Returns how many rollups of a day were wrong and, where they are right, whether its snapshot was. */
async function reconcileDay(
  ctx: Context,
  organization: Organization,
  day: WholePart,
  repair: boolean,
): Promise<{ rollups: number; snapshots: number }> {
  const nowMs = ctx.clock.now();
  const keptMs = Math.max(day.fromMs, quarterHorizonMs(nowMs));
  const parts: Part[] = [day, { period: 'quarter_hour', fromMs: keptMs, toMs: day.toMs }];
  return inTransaction(
    ctx.db,
    async (transaction) => {
      const there: Rollup[] = [];
      for (const part of parts) there.push(...(await findRollups(ctx, organization._id, part, transaction)));
      const summed = await sumOfSignals(ctx, organization, day, transaction);
      const arePurged = day.fromMs < nowMs - MAY_BE_PURGED_MS && signalsIn(summed) < signalsIn(there);
      const right = (arePurged ? there : summed).filter(
        (row) => row.period === 'day' || row.start.getTime() >= keptMs,
      );
      const differing = differingOf(right, there);
      if (differing.length === 0) {
        const asked = { part: day, cells: right.filter(({ period }) => period === 'day'), repair };
        return { rollups: 0, snapshots: await reconcileSnapshot(ctx, organization, asked, transaction) };
      }
      // The mark on the day's snapshot is for its quarter hours too: whoever remembers them reads them again.
      const writes = [...differing.map(repairOf), ...planStaleSnapshots(organization, [day.fromMs], nowMs)];
      if (repair) await applyWrites(ctx, writes, transaction);
      return { rollups: differing.length, snapshots: 0 };
    },
    LONG_TRANSACTION,
  );
}

/** Returns whether the snapshot of a month whose days are right was wrong: 1 or 0. */
async function reconcileMonth(
  ctx: Context,
  organization: Organization,
  month: WholePart,
  repair: boolean,
): Promise<number> {
  if (!mayBeMade(month, ctx.clock.now())) return 0;
  return inTransaction(
    ctx.db,
    async (transaction) => {
      const cells = new Map<string, Cell>();
      for (const day of await findRollups(ctx, organization._id, month, transaction))
        addRow(cells, cellOf(day));
      const asked = { part: month, cells: [...cells.values()], repair };
      return reconcileSnapshot(ctx, organization, asked, transaction);
    },
    LONG_TRANSACTION,
  );
}

/** One row of a month, by `idOf` its dimensions. */
type Cell = CellRow & { _id: string };

/** A day's rollup as one row of its month's, named by what it is of. */
function cellOf({ user_id, project_id, model, adapter, ...row }: Rollup): Cell {
  const of = { user_id, project_id, model, adapter };
  return { _id: idOf(DIMENSIONS.map((name) => of[name])), ...of, ...measuresIn(row) };
}

/** Returns whether a snapshot that claims to be current is not what its rollups are: 1 or 0. */
async function reconcileSnapshot(
  ctx: Context,
  organization: Organization,
  { part, cells, repair }: { part: WholePart; cells: readonly CellRow[]; repair: boolean },
  transaction: ClientSession,
): Promise<number> {
  const _id = snapshotKey(organization._id, part.period, part.fromMs);
  const there = await snapshotRows(ctx).findOne({ _id }, { session: transaction, promoteBuffers: true });
  if (there?.is_stale !== false) return 0;
  const right = tablesOf(cells);
  if (isSameTable(there.totals, right.totals) && isSameTable(there.cells, right.cells)) return 0;
  if (repair) await applyWrites(ctx, [markStale(organization._id, part.period, part.fromMs)], transaction);
  return 1;
}

/** Reconciles every organization in turn. One that fails is logged and left for the next time. */
export async function reconcileAllUsage(ctx: Context, options: ReconcileOptions): Promise<Reconciled> {
  const total = { days: 0, months: 0, wrong: 0, repaired: 0 };
  await forEachOrganization(ctx, 'usage was not reconciled', async (organization) => {
    const result = await reconcileUsage(ctx, organization, options);
    total.days += result.days;
    total.months += result.months;
    total.wrong += result.wrong;
    total.repaired += result.repaired;
  });
  return total;
}
