import type { ClientSession, mongo } from 'mongoose';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../context.ts';
import { SIGNAL_AGE_MS } from '../contract.ts';
import { inTransaction, raw } from '../mongo.ts';
import type { Organization } from '../organizations/model.ts';
import type { Session } from '../sessions/model.ts';
import type { Signal } from '../signals/model.ts';
import { type CountedSignal, incrementOf, rollupChanges, rollupKey } from './add-to-rollups.ts';
import { ceilToQuarter } from './calendar.ts';
import { MEASURES, type Measures, type Rollup, type RollupPeriod, type Total } from './model.ts';
import { periodStarts } from './periods.ts';
import { rowEnd } from './plan-reads.ts';
import { quarterHorizonMs } from './range.ts';
import { addMeasures, totalKey, totalsOf } from './totals.ts';

export interface ReconcileOptions {
  /** Epoch ms; days and months that hold any of `[fromMs, toMs)`. Default: what a signal may still change. */
  fromMs?: number | undefined;
  toMs?: number | undefined;
  /** Write what is right in place of what differs. */
  repair: boolean;
}

export interface Reconciled {
  days: number;
  months: number;
  /** Rollups that were not the sum of what lies below them. */
  wrong: number;
  repaired: number;
}

const DAY_MS = 86_400_000;

/**
 * Compares an organization's rollups with the sum of its signals and sessions, a day at a time (and months with the
 * sum of their days, and totals with the sum of their rollups), each in one transaction: a rollup that a signal changes meanwhile conflicts and is looked at
 * again, so nothing is overwritten, and what was done before a crash stays right. Days whose signals have been
 * purged are not looked at: there the rollups are the record.
 */
export async function reconcileUsage(
  ctx: Context,
  organization: Organization,
  options: ReconcileOptions,
): Promise<Reconciled> {
  const nowMs = ctx.clock.now();
  const keptMs = nowMs - (ctx.config.signalRetentionDays - 2) * DAY_MS;
  const fromMs = Math.max(options.fromMs ?? nowMs - SIGNAL_AGE_MS.behind - DAY_MS, keptMs);
  const toMs = Math.min(options.toMs ?? nowMs + DAY_MS, nowMs + DAY_MS);
  const result = { days: 0, months: 0, wrong: 0, repaired: 0 };
  for (const day of periodsIn(organization, 'day', fromMs, toMs)) {
    if (day.fromMs < keptMs) continue;
    tally(result, await reconcileDay(ctx, organization, day, options.repair));
    result.days += 1;
  }
  for (const month of periodsIn(organization, 'month', fromMs, toMs)) {
    tally(result, await reconcileMonth(ctx, organization, month, options.repair));
    result.months += 1;
  }
  await report(ctx, organization, result);
  return result;
}

async function report(ctx: Context, organization: Organization, result: Reconciled): Promise<void> {
  if (result.wrong === 0) return;
  ctx.metrics.usageDrift.inc(result.wrong);
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

type Found = Pick<Reconciled, 'wrong' | 'repaired'>;

function tally(result: Found, found: Found): void {
  result.wrong += found.wrong;
  result.repaired += found.repaired;
}

interface Span {
  fromMs: number;
  toMs: number;
}

/** The rows of a period that hold any of `[fromMs, toMs)`. */
function* periodsIn(
  organization: Organization,
  period: 'day' | 'month',
  fromMs: number,
  toMs: number,
): Generator<Span> {
  let start = periodStarts(organization, fromMs)[period];
  while (start < toMs) {
    const end = rowEnd(organization.timezones, period, start);
    yield { fromMs: start, toMs: end };
    start = end;
  }
}

function reconcileDay(ctx: Context, organization: Organization, day: Span, repair: boolean) {
  const horizonMs = quarterHorizonMs(ctx.clock.now());
  return inTransaction(ctx.db, async (transaction) => {
    const right = await sumOfSignals(ctx, organization, day, transaction);
    const quarters = { fromMs: Math.max(day.fromMs, ceilToQuarter(horizonMs)), toMs: day.toMs };
    const there = [
      ...(await findRollups(ctx, organization._id, 'day', day, transaction)),
      ...(await findRollups(ctx, organization._id, 'quarter_hour', quarters, transaction)),
    ];
    const comparable = right.filter((row) => row.period === 'day' || row.start.getTime() >= quarters.fromMs);
    const settled = await settle(ctx, comparable, there, repair, transaction);
    const totals = [
      ...(await findTotals(ctx, organization._id, 'day', day, transaction)),
      ...(await findTotals(ctx, organization._id, 'quarter_hour', quarters, transaction)),
    ];
    tally(settled, await settleTotals(ctx, comparable, totals, repair, transaction));
    return settled;
  });
}

function reconcileMonth(ctx: Context, organization: Organization, month: Span, repair: boolean) {
  return inTransaction(ctx.db, async (transaction) => {
    const days = await findRollups(ctx, organization._id, 'day', month, transaction);
    const there = await findRollups(ctx, organization._id, 'month', month, transaction);
    const right = sumOfDays(organization, days);
    const settled = await settle(ctx, right, there, repair, transaction);
    const totals = await findTotals(ctx, organization._id, 'month', month, transaction);
    tally(settled, await settleTotals(ctx, right, totals, repair, transaction));
    return settled;
  });
}

/** What the day and quarter-hour rollups of a day must be: computed by the rule that the write path uses. */
async function sumOfSignals(
  ctx: Context,
  organization: Organization,
  day: Span,
  transaction: ClientSession,
): Promise<Rollup[]> {
  const within = { $gte: new Date(day.fromMs), $lt: new Date(day.toMs) };
  const rows = new Map<string, Rollup>();
  const add = (changes: readonly Rollup[]) => {
    for (const change of changes) if (change.period !== 'month') addRow(rows, change);
  };
  const options = { session: transaction, batchSize: 5_000 };
  const signals = raw(ctx.db.signals).find(
    { org_id: organization._id, ts: within },
    { ...options, projection: COUNTED },
  );
  for await (const chunk of chunked(signals)) {
    add(rollupChanges(organization, chunk as CountedSignal[], []));
  }
  const sessions = raw(ctx.db.sessions).find({ org_id: organization._id, started_at: within }, options);
  for await (const chunk of chunked(sessions)) {
    add(
      rollupChanges(
        organization,
        [],
        chunk.map((after) => ({ before: null, after })),
      ),
    );
  }
  return [...rows.values()];
}

const COUNTED: Partial<Record<keyof Signal, 1>> = {
  ts: 1,
  type: 1,
  user_id: 1,
  project_id: 1,
  adapter: 1,
  model: 1,
  tokens_in: 1,
  tokens_out: 1,
  cache_read_tokens: 1,
  cache_write_tokens: 1,
  cost_nusd: 1,
  error: 1,
};

async function* chunked<T extends Signal | Session>(cursor: AsyncIterable<T>): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const row of cursor) {
    chunk.push(row);
    if (chunk.length < 5_000) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function sumOfDays(organization: Organization, days: readonly Rollup[]): Rollup[] {
  const rows = new Map<string, Rollup>();
  for (const day of days) {
    const start = new Date(periodStarts(organization, day.start.getTime()).month);
    const month = { ...day, period: 'month' as const, start };
    addRow(rows, { ...month, _id: rollupKey(month.org_id, 'month', start.getTime(), month) });
  }
  return [...rows.values()];
}

function addRow(rows: Map<string, Rollup>, row: Rollup): void {
  const known = rows.get(row._id);
  if (!known) rows.set(row._id, { ...row });
  else addMeasures(known, row);
}

function findRollups(
  ctx: Context,
  orgId: string,
  period: RollupPeriod,
  { fromMs, toMs }: Span,
  transaction: ClientSession,
): Promise<Rollup[]> {
  const start = { $gte: new Date(fromMs), $lt: new Date(toMs) };
  return raw(ctx.db.rollups)
    .find({ org_id: orgId, period, start }, { session: transaction, batchSize: 5_000 })
    .toArray();
}

/** Counts the rows that differ, and writes them as they must be. A row of zeros is as good as none. */
async function settle(
  ctx: Context,
  right: readonly Rollup[],
  there: readonly Rollup[],
  repair: boolean,
  transaction: ClientSession,
): Promise<Found> {
  const wanted = new Map(right.map((row) => [row._id, row]));
  const known = new Map(there.map((row) => [row._id, row]));
  const writes: mongo.AnyBulkWriteOperation<Rollup>[] = [];
  for (const row of right) {
    if (sameMeasures(row, known.get(row._id))) continue;
    writes.push({ replaceOne: { filter: { _id: row._id }, replacement: row, upsert: true } });
  }
  for (const row of there) {
    if (!wanted.has(row._id) && !sameMeasures(row, undefined)) {
      writes.push({ deleteOne: { filter: { _id: row._id } } });
    }
  }
  if (repair && writes.length > 0) {
    await raw(ctx.db.rollups).bulkWrite(writes, { session: transaction, ordered: false });
  }
  return { wrong: writes.length, repaired: repair ? writes.length : 0 };
}

function findTotals(
  ctx: Context,
  orgId: string,
  period: RollupPeriod,
  { fromMs, toMs }: Span,
  transaction: ClientSession,
): Promise<Total[]> {
  const start = { $gte: new Date(fromMs), $lt: new Date(toMs) };
  return raw(ctx.db.usageTotals).find({ org_id: orgId, period, start }, { session: transaction }).toArray();
}

/**
 * Counts the totals that are not the sum of their rollups, and adds what is missing. What a signal adds meanwhile in
 * another slot stays right: the difference is one of this transaction's snapshot.
 */
async function settleTotals(
  ctx: Context,
  rollups: readonly Rollup[],
  there: readonly Total[],
  repair: boolean,
  transaction: ClientSession,
): Promise<Found> {
  const missing = new Map(totalsOf(rollups, 0).map((total) => [total._id, total]));
  for (const row of there) {
    const _id = totalKey(row, 0);
    const negated = Object.fromEntries(MEASURES.map((measure) => [measure, -row[measure]])) as Measures;
    const known = missing.get(_id);
    if (known) addMeasures(known, negated);
    else missing.set(_id, { ...row, ...negated, _id });
  }
  const writes = [...missing.values()].filter((row) => !sameMeasures(row, undefined));
  if (repair && writes.length > 0) {
    await raw(ctx.db.usageTotals).bulkWrite(writes.map(incrementOf), {
      session: transaction,
      ordered: false,
    });
  }
  return { wrong: writes.length, repaired: repair ? writes.length : 0 };
}

function sameMeasures(row: Measures, other: Measures | undefined): boolean {
  return MEASURES.every((measure) => row[measure] === (other?.[measure] ?? 0));
}

/** Every organization in turn. One that fails is logged and left for the next time. */
export async function reconcileAllUsage(ctx: Context, options: ReconcileOptions): Promise<Reconciled> {
  const total = { days: 0, months: 0, wrong: 0, repaired: 0 };
  for await (const organization of ctx.db.organizations.find().lean<Organization[]>().cursor()) {
    try {
      const result = await reconcileUsage(ctx, organization as unknown as Organization, options);
      total.days += result.days;
      total.months += result.months;
      tally(total, result);
    } catch (error) {
      ctx.log.error({ err: error, org_id: organization._id }, 'usage was not reconciled');
    }
  }
  return total;
}
