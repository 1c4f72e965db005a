import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { boundedCache } from '../platform/context/cache.ts';
import type { Context } from '../platform/context/context.ts';
import { noMeasures } from './add-measures.ts';
import { sumsOf } from './measures.ts';
import { type Dimensions, rollupRows, snapshotRows, TOTAL_DIMENSIONS } from './model.ts';
import { quarterHorizonMs } from './periods.ts';
import { mayBeMade, snapshotKey } from './plan-stale-snapshots.ts';
import { matchStages, sumStage } from './rollup-stages.ts';
import { type Part, rollupPeriodOf, type WholePart, wholeParts } from './split-range.ts';
import { type CellRow, openTable, type Table, tablesOf } from './table.ts';

/** The totals of one rollup period within a day. */
interface Total {
  startMs: number;
  table: Table;
}

interface Kept {
  version: number;
  totals: readonly Total[];
}

/** Of one process: 20 MB at the most. */
const keptTotals = boundedCache<string, Kept>({ max: 100 });
const MOST_BYTES = 200_000;

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
  const closed = pieces.filter(({ day, part }) => isClosed(day, part, nowMs));
  const versions = await readVersions(
    ctx,
    closed.map(({ day }) => snapshotKey(organization._id, 'day', day.fromMs)),
    transaction,
  );
  const left = pieces.filter((piece) => !closed.includes(piece)).map(({ part }) => part);
  for (const { day, part } of closed) {
    const key = snapshotKey(organization._id, 'day', day.fromMs);
    const rollups = { ...day, period: rollupPeriodOf(part) };
    const totals = await recall(
      ctx,
      organization._id,
      rollups,
      { key, version: versions.get(key) ?? 0 },
      transaction,
    );
    if (totals === null) left.push(part);
    else
      for (const { startMs, table } of totals)
        if (startMs >= part.fromMs && startMs < part.toMs) use({ ...part, fromMs: startMs }, table);
  }
  return left;
}

/** A part by days: what of it lies in each. */
function piecesOf(organization: Organization, part: Part): { day: WholePart; part: Part }[] {
  return [...wholeParts(organization, 'day', part.fromMs, part.toMs)].map((day) => {
    const fromMs = Math.max(part.fromMs, day.fromMs);
    return { day, part: { ...part, fromMs, toMs: Math.min(part.toMs, day.toMs) } };
  });
}

/** Whether no change of it can commit unmarked, and none of its quarter hours may be purged. */
function isClosed(day: WholePart, { period }: Part, nowMs: number): boolean {
  return mayBeMade(day, nowMs) && (period !== 'quarter_hour' || day.fromMs >= quarterHorizonMs(nowMs));
}

async function readVersions(
  ctx: Context,
  keys: readonly string[],
  transaction: ClientSession,
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await snapshotRows(ctx)
    .find({ _id: { $in: [...new Set(keys)] } }, { session: transaction, projection: { version: 1 } })
    .toArray();
  return new Map(rows.map(({ _id, version }) => [_id, version]));
}

/** Null when they hold more money than a number does, or are too many to be kept. */
async function recall(
  ctx: Context,
  orgId: string,
  rollups: Part,
  { key, version }: { key: string; version: number },
  transaction: ClientSession,
): Promise<readonly Total[] | null> {
  const place = `${rollups.period} ${key}`;
  const known = keptTotals(ctx).get(place);
  if (known?.version === version) return known.totals;
  const stages = [...matchStages(orgId, rollups, {}), sumStage(['start', ...TOTAL_DIMENSIONS])];
  const rows = await rollupRows(ctx).aggregate(stages, { useBigInt64: true, session: transaction }).toArray();
  const totals: Total[] = [];
  let bytes = 0;
  for (const [startMs, own] of Map.groupBy(rows, ({ _id }) => (_id.start as Date).getTime())) {
    const { totals: stored } = tablesOf(own.map(cellOf));
    bytes += (stored?.values.length ?? 0) + (stored?.numbers.length ?? 0);
    if (stored === null || bytes > MOST_BYTES) return null;
    totals.push({ startMs, table: openTable(TOTAL_DIMENSIONS, stored) });
  }
  keptTotals(ctx).set(place, { version, totals });
  return totals;
}

function cellOf({ _id, ...row }: Record<string, unknown> & { _id?: unknown }): CellRow {
  const { model, adapter } = _id as Pick<Dimensions, 'model' | 'adapter'>;
  const { cost_nusd, ...counts } = sumsOf(row);
  return {
    ...noMeasures(),
    ...counts,
    cost_nusd: Number(cost_nusd),
    user_id: '',
    project_id: '',
    model,
    adapter,
  };
}
