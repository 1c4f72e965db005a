import { recordAudit } from '../audit/record-audit.ts';
import { forEachOrganization } from '../organizations/for-each-organization.ts';
import type { Organization } from '../organizations/model.ts';
import { DAY_MS } from '../platform/basics/interval.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction, LONG_TRANSACTION } from '../platform/mongo/transaction.ts';
import { addRow, measuresIn } from './add-measures.ts';
import { idOf } from './id-of.ts';
import { findRollups } from './make-snapshots.ts';
import { usageDrift } from './metrics.ts';
import { DIMENSIONS, type Rollup } from './model.ts';
import { earliestCountedMs, quarterHorizonMs } from './periods.ts';
import { mayBeMade } from './plan-stale-snapshots.ts';
import { negated, reconcileRows, reconcileSnapshot } from './reconcile-rows.ts';
import { type Part, wholeParts } from './split-range.ts';
import { sumOfSignals } from './sum-signals.ts';
import type { CellRow } from './table.ts';

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
  /** Rollups that were not the sum of what lies below them, and snapshots that were not their rollups. */
  wrong: number;
  repaired: number;
}

/**
 * Compares an organization's rollups with the sum of its signals and sessions, one day at a time, and snapshots with
 * their rollups, each in one transaction. A rollup that a signal changes meanwhile conflicts and is looked at again, so
 * nothing is overwritten, and what was done before a crash stays right. Once the signals of a day have been purged its
 * rollups are the record, and only its snapshot is compared.
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
    const within = [Math.max(fromMs, month.fromMs), Math.min(toMs, month.toMs)] as const;
    const left = new Map<string, Cell>();
    for (const day of wholeParts(organization, 'day', ...within)) {
      addFound(result, await reconcileDay(ctx, organization, day, options.repair, left));
      result.days += 1;
    }
    addFound(result, await reconcileMonth(ctx, organization, month, options.repair, left));
    result.months += 1;
  }
  await report(ctx, organization, result);
  return result;
}

async function report(ctx: Context, organization: Organization, result: Reconciled): Promise<void> {
  if (result.wrong === 0) return;
  usageDrift(ctx).inc(result.wrong);
  ctx.log.error({ org_id: organization._id, ...result }, 'rollups were not the sum of their signals');
  if (result.repaired === 0) return;
  await inTransaction(ctx.db, (transaction) =>
    recordAudit(
      ctx,
      { action: 'usage.reconcile', org_id: organization._id, details: { ...result } },
      transaction,
    ),
  );
}

/** One row of a month, by `idOf` its dimensions. */
type Cell = CellRow & { _id: string };

type Found = Pick<Reconciled, 'wrong' | 'repaired'>;

function addFound(result: Found, found: Found): void {
  result.wrong += found.wrong;
  result.repaired += found.repaired;
}

/** `left` takes up by how much the days that are not mended change their month. */
async function reconcileDay(
  ctx: Context,
  organization: Organization,
  day: Part,
  repair: boolean,
  left: Map<string, Cell>,
): Promise<Found> {
  const nowMs = ctx.clock.now();
  const isRecord = day.fromMs < nowMs - (ctx.config.signalRetentionDays - 2) * DAY_MS;
  const keptMs = Math.max(day.fromMs, quarterHorizonMs(nowMs));
  const parts: Part[] = [day, { period: 'quarter_hour', fromMs: keptMs, toMs: day.toMs }];
  const { wrong, differing } = await inTransaction(
    ctx.db,
    async (transaction) => {
      const there: Rollup[] = [];
      for (const part of parts) there.push(...(await findRollups(ctx, organization._id, part, transaction)));
      const summed = isRecord ? there : await sumOfSignals(ctx, organization, day, transaction);
      const right = summed.filter((row) => row.period === 'day' || row.start.getTime() >= keptMs);
      return reconcileRows(ctx, organization, { parts, right, there, repair }, transaction);
    },
    LONG_TRANSACTION,
  );
  if (repair) return { wrong, repaired: wrong };
  for (const { right, there } of differing) {
    if (right.period !== 'day') continue;
    for (const row of [right, negated(there)]) addRow(left, cellOf(row));
  }
  return { wrong, repaired: 0 };
}

async function reconcileMonth(
  ctx: Context,
  organization: Organization,
  month: Part,
  repair: boolean,
  left: ReadonlyMap<string, Cell>,
): Promise<Found> {
  if (!mayBeMade(month, ctx.clock.now())) return { wrong: 0, repaired: 0 };
  const isRight = await inTransaction(
    ctx.db,
    async (transaction) => {
      const right = new Map<string, Cell>();
      for (const day of await findRollups(ctx, organization._id, month, transaction))
        addRow(right, cellOf(day));
      for (const row of left.values()) addRow(right, row);
      const cells = [...right.values()];
      return reconcileSnapshot(ctx, organization._id, month, { cells, repair }, transaction);
    },
    LONG_TRANSACTION,
  );
  const wrong = isRight ? 0 : 1;
  return { wrong, repaired: repair ? wrong : 0 };
}

/** A day's rollup as one row of its month's, named by what it is of. */
function cellOf({ user_id, project_id, model, adapter, ...row }: Rollup): Cell {
  const of = { user_id, project_id, model, adapter };
  return { _id: idOf(DIMENSIONS.map((name) => of[name])), ...of, ...measuresIn(row) };
}

/** Reconciles every organization in turn. One that fails is logged and left for the next time. */
export async function reconcileAllUsage(ctx: Context, options: ReconcileOptions): Promise<Reconciled> {
  const total = { days: 0, months: 0, wrong: 0, repaired: 0 };
  await forEachOrganization(ctx, 'usage was not reconciled', async (organization) => {
    const result = await reconcileUsage(ctx, organization, options);
    total.days += result.days;
    total.months += result.months;
    addFound(total, result);
  });
  return total;
}
