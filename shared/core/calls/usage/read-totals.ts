import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { quarterHorizonMs } from './calendar.ts';
import { matcherOf } from './cells.ts';
import { snapshotRows, TOTAL_DIMENSIONS } from './model.ts';
import { type AskedRollups, type DatedCell, readRollups } from './read-rollups.ts';
import { mayBeMade, snapshotKey } from './snapshots.ts';
import { type Part, rollupPeriodOf, type WholePart, wholeParts } from './split-range.ts';

interface Kept {
  /** The version of the day's snapshot row; 0 while there is none. */
  version: number;
  cells: readonly DatedCell[];
}

/** Days of one part that are kept; a longer part is read at once. */
const MOST_DAYS = 62;
const MOST_CELLS_PER_DAY = 1_000;
/** The totals of closed days that this process has read: 30 MB at the most. */
const keptDays = boundedCache<string, Kept>({ max: MOST_DAYS });

const COLUMNS = ['start', ...TOTAL_DIMENSIONS] as const;

/**
 * Reads the totals of a part by their starts. The quarter hours of a closed day are summed up once and kept as long as the
 * version of its snapshot's row stays: every change of a closed day's rollups raises it in its own transaction.
 */
export async function* readTotals(
  ctx: Context,
  organization: Organization,
  { part, match }: Pick<AskedRollups, 'part' | 'match'>,
  transaction: ClientSession,
): AsyncGenerator<DatedCell> {
  const { _id: orgId } = organization;
  const days = [...wholeParts(organization, 'day', part.fromMs, part.toMs)];
  if (days.length > MOST_DAYS)
    return yield* readRollups(ctx, orgId, { part, match, columns: COLUMNS }, transaction);
  const keys = days.map(({ fromMs }) => snapshotKey(orgId, 'day', fromMs));
  const rows = await snapshotRows(ctx)
    .find({ _id: { $in: keys } }, { session: transaction, projection: { version: 1 } })
    .toArray();
  const versions = new Map(rows.map(({ _id, version }) => [_id, version]));
  const isWanted = matcherOf(match);
  for (const [at, day] of days.entries()) {
    const key = keys[at] ?? '';
    const within = {
      ...part,
      fromMs: Math.max(part.fromMs, day.fromMs),
      toMs: Math.min(part.toMs, day.toMs),
    };
    if (isClosed(day, part, ctx.clock.now())) {
      const whole = { period: rollupPeriodOf(part), fromMs: day.fromMs, toMs: day.toMs };
      const kept = { name: `${whole.period} ${key}`, version: versions.get(key) ?? 0 };
      for (const dated of await readClosed(ctx, orgId, whole, kept, transaction))
        if (dated.startMs >= within.fromMs && dated.startMs < within.toMs && isWanted(dated.cell))
          yield dated;
    } else yield* readRollups(ctx, orgId, { part: within, match, columns: COLUMNS }, transaction);
  }
}

/** Returns true when no change of the day can commit unmarked, and none of its quarter hours may be purged. */
function isClosed(day: WholePart, { period }: Part, nowMs: number): boolean {
  return mayBeMade(day, nowMs) && (period !== 'quarter_hour' || day.fromMs >= quarterHorizonMs(nowMs));
}

/** The totals of a whole day, kept at this version or from the rollups. */
async function readClosed(
  ctx: Context,
  orgId: string,
  part: Part,
  { name, version }: { name: string; version: number },
  transaction: ClientSession,
): Promise<readonly DatedCell[]> {
  const kept = keptDays(ctx);
  const known = kept.get(name);
  if (known?.version === version) return known.cells;
  const asked = { part, match: {}, columns: COLUMNS };
  const cells = await Array.fromAsync(readRollups(ctx, orgId, asked, transaction));
  if (cells.length <= MOST_CELLS_PER_DAY) kept.set(name, { version, cells });
  return cells;
}
