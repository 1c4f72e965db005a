import type { ClientSession } from 'mongoose';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { LONG_TRANSACTION } from '../../../platform/mongo/transaction.ts';
import { deleteRows, replaceRow, type Write } from '../../../platform/mongo/writes.ts';
import { recordAct } from '../../accounts/audit/record-audit.ts';
import { forEachOrganization } from '../../accounts/organizations/for-each-organization.ts';
import { type Organization, organizationRows } from '../../accounts/organizations/model.ts';
import { earliestCountedMs, quarterHorizonMs } from './calendar.ts';
import { packEarlierCells, packSnapshot } from './cells.ts';
import { cellOf, findRollups, makeSnapshots } from './make-snapshots.ts';
import { isZero, noMeasures } from './measures.ts';
import { usageDrift } from './metrics.ts';
import { MEASURES, type Rollup, rollupRows, snapshotRows } from './model.ts';
import { markStale, mayBeMade, planStaleSnapshots, snapshotKey } from './snapshots.ts';
import { type WholePart, wholeParts } from './split-range.ts';
import { sumOfSignals } from './sum-signals.ts';

export interface ReconcileOptions {
  /** Epoch ms; days and months that hold any of `[fromMs, toMs)`. Default: what a signal may still change. */
  fromMs?: number | undefined;
  toMs?: number | undefined;
  /** Replaces the rows that differ. */
  repair: boolean;
  /** Called after each day of one organization, or after each of all organizations. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface Reconciled {
  days: number;
  months: number;
  /** Rollups that were not the sum of their signals, and snapshots of right rollups that were not theirs. */
  wrong: number;
  repaired: number;
}

/**
 * Compares an organization's rollups with the sum of its signals and sessions, one day at a time, and snapshots with
 * their rollups, each in one transaction. A rollup that a signal changes meanwhile conflicts and is compared again, so
 * nothing is overwritten. A repair marks the snapshots of its day and month as stale, so a repair that is killed
 * leaves no wrong snapshot; they are made again at the end of the month. Where an old day has fewer signals than its rollups count,
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
  const total = [...wholeParts(organization, 'day', fromMs, toMs)].length;
  for (const month of wholeParts(organization, 'month', fromMs, toMs)) {
    const within = { fromMs: Math.max(fromMs, month.fromMs), toMs: Math.min(toMs, month.toMs) };
    let rollups = 0;
    for (const day of wholeParts(organization, 'day', within.fromMs, within.toMs)) {
      const wrong = await reconcilePart(ctx, organization, day, options.repair);
      rollups += wrong.rollups;
      result.wrong += wrong.rollups + wrong.snapshots;
      result.days += 1;
      options.onProgress?.(result.days, total);
    }
    if (rollups === 0 && mayBeMade(month, nowMs))
      result.wrong += (await reconcilePart(ctx, organization, month, options.repair)).snapshots;
    result.months += 1;
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

interface Wrong {
  rollups: number;
  snapshots: number;
}

/** Compares the rollups of a day with its signals, and the snapshot of a day or month whose rollups are right with these. */
async function reconcilePart(
  ctx: Context,
  organization: Organization,
  part: WholePart,
  repair: boolean,
): Promise<Wrong> {
  const decide = async (transaction: ClientSession) => {
    const { days, wrong, writes } = await compareRollups(ctx, organization, part, transaction);
    const marks = wrong === 0 ? await compareSnapshot(ctx, organization, { part, days }, transaction) : [];
    const result = { rollups: wrong, snapshots: marks.length };
    return { writes: repair ? [...writes, ...marks] : [], result };
  };
  return commitPlan(ctx, decide, LONG_TRANSACTION);
}

interface Compared {
  days: readonly Rollup[];
  wrong: number;
  writes: readonly Write[];
}

async function compareRollups(
  ctx: Context,
  organization: Organization,
  part: WholePart,
  transaction: ClientSession,
): Promise<Compared> {
  const there = await findRollups(ctx, organization._id, part, transaction);
  if (part.period === 'month') return { days: there, wrong: 0, writes: [] };
  const nowMs = ctx.clock.now();
  const keptMs = Math.max(part.fromMs, quarterHorizonMs(nowMs));
  const quarters = { period: 'quarter_hour', fromMs: keptMs, toMs: part.toMs } as const;
  const summed = await sumOfSignals(ctx, organization, part, transaction);
  const arePurged = part.fromMs < nowMs - MAY_BE_PURGED_MS && signalsIn(summed) < signalsIn(there);
  there.push(...(await findRollups(ctx, organization._id, quarters, transaction)));
  const right = (arePurged ? there : summed).filter(
    (row) => row.period === 'day' || row.start.getTime() >= keptMs,
  );
  const differing = differingOf(right, there);
  const marks = differing.length > 0 ? planStaleSnapshots(organization, [part.fromMs], nowMs) : [];
  return {
    days: right.filter(({ period }) => period === 'day'),
    wrong: differing.length,
    writes: [...differing.map(repairOf), ...marks],
  };
}

/** No signal is purged before it is as old as one may be when it arrives; two days for its day, and for clocks that differ. */
const MAY_BE_PURGED_MS = SIGNAL_AGE_MS.behind - 2 * DAY_MS;

function signalsIn(rollups: readonly Rollup[]): number {
  const days = rollups.filter(({ period }) => period === 'day');
  return days.reduce((sum, { signals }) => sum + signals, 0);
}

/** The rollups that are not as they must be; one that must not be there has zeros. A row of zeros is as good as none. */
function differingOf(right: readonly Rollup[], there: readonly Rollup[]): Rollup[] {
  const none = noMeasures();
  const wanted = new Set(right.map((row) => row._id));
  const known = new Map(there.map((row) => [row._id, row]));
  const unwanted = there.filter((row) => !wanted.has(row._id)).map((row) => ({ ...row, ...none }));
  const isDifferent = (row: Rollup) =>
    MEASURES.some((measure) => row[measure] !== (known.get(row._id) ?? none)[measure]);
  return [...right, ...unwanted].filter(isDifferent);
}

function repairOf(right: Rollup): Write {
  return isZero(right)
    ? deleteRows(rollupRows, { _id: right._id, org_id: right.org_id })
    : replaceRow(rollupRows, right, { upsert: true });
}

/** The mark on a snapshot that claims to be current and is not the sum of its days. */
async function compareSnapshot(
  ctx: Context,
  organization: Organization,
  { part, days }: { part: WholePart; days: readonly Rollup[] },
  transaction: ClientSession,
): Promise<Write[]> {
  const _id = snapshotKey(organization._id, part.period, part.fromMs);
  const there = await snapshotRows(ctx).findOne({ _id }, { session: transaction });
  if (there?.is_stale !== false) return [];
  const cells = days.map(cellOf);
  const right = packSnapshot(cells);
  const rightCells = there.dimensions === right.dimensions ? right.cells : packEarlierCells(cells);
  const isRight = there.totals === right.totals && there.cells === rightCells && there.works === right.works;
  return isRight ? [] : [markStale(organization._id, part.period, part.fromMs)];
}

/** Reconciles every organization in turn. One that fails is logged and left for the next time. */
export async function reconcileAllUsage(
  ctx: Context,
  { onProgress, ...options }: ReconcileOptions,
): Promise<Reconciled> {
  const total = { days: 0, months: 0, wrong: 0, repaired: 0 };
  const organizations = onProgress ? await organizationRows(ctx).countDocuments({}) : 0;
  let done = 0;
  await forEachOrganization(ctx, 'usage was not reconciled', async (organization) => {
    const result = await reconcileUsage(ctx, organization, options);
    done += 1;
    onProgress?.(done, organizations);
    total.days += result.days;
    total.months += result.months;
    total.wrong += result.wrong;
    total.repaired += result.repaired;
  });
  return total;
}
