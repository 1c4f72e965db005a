import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { boundedCache } from '../platform/context/cache.ts';
import type { Context } from '../platform/context/context.ts';
import { snapshotRows, TOTAL_DIMENSIONS } from './model.ts';
import { quarterHorizonMs } from './periods.ts';
import { mayBeMade, snapshotKey } from './plan-stale-snapshots.ts';
import { type RollupSum, readSums } from './rollup-stages.ts';
import { type Part, rollupPeriodOf, type WholePart, wholeParts } from './split-range.ts';
import type { Match } from './sum-tables.ts';

interface Kept {
  /** Of the row of the day's snapshot; 0 while there is none. */
  version: number;
  sums: readonly RollupSum[];
}

/** Days of one part: more are read at once, and not kept. */
const MOST_DAYS = 62;
const MOST_SUMS_PER_DAY = 1_000;
/** Of one process: 30 MB at the most. */
const keptDays = boundedCache<string, Kept>({ max: MOST_DAYS });

const COLUMNS = ['start', ...TOTAL_DIMENSIONS] as const;

/**
 * The totals of a part by their starts, in quarter hours, or in days that have no snapshot. A process sums up a day that
 * has closed once, and remembers it for as long as the version of its snapshot's row stays: every change of a closed
 * day's rollups raises that in its own transaction.
 */
export async function* readTotalsOfDays(
  ctx: Context,
  organization: Organization,
  part: Part,
  match: Match,
  transaction: ClientSession,
): AsyncGenerator<RollupSum> {
  const { _id: orgId } = organization;
  const days = [...wholeParts(organization, 'day', part.fromMs, part.toMs)];
  if (days.length > MOST_DAYS) {
    yield* readSums(ctx, orgId, part, { match, columns: COLUMNS }, transaction);
    return;
  }
  const keys = days.map(({ fromMs }) => snapshotKey(orgId, 'day', fromMs));
  const rows = await snapshotRows(ctx)
    .find({ _id: { $in: keys } }, { session: transaction, projection: { version: 1 } })
    .toArray();
  const versions = new Map(rows.map(({ _id, version }) => [_id, version]));
  for (const [at, day] of days.entries()) {
    const within = {
      ...part,
      fromMs: Math.max(part.fromMs, day.fromMs),
      toMs: Math.min(part.toMs, day.toMs),
    };
    if (!isClosed(day, part, ctx.clock.now())) {
      yield* readSums(ctx, orgId, within, { match, columns: COLUMNS }, transaction);
      continue;
    }
    const key = keys[at] ?? '';
    const whole = { period: rollupPeriodOf(part), fromMs: day.fromMs, toMs: day.toMs };
    const asked = { orgId, key, version: versions.get(key) ?? 0, whole };
    for (const sum of await recall(ctx, asked, transaction)) if (isWanted(sum, within, match)) yield sum;
  }
}

/** Whether no change of the day can commit unmarked, and none of its quarter hours may be purged. */
function isClosed(day: WholePart, { period }: Part, nowMs: number): boolean {
  return mayBeMade(day, nowMs) && (period !== 'quarter_hour' || day.fromMs >= quarterHorizonMs(nowMs));
}

/** The sums of a whole day, if they are known at this version, and otherwise from the rollups. */
async function recall(
  ctx: Context,
  { orgId, key, version, whole }: { orgId: string; key: string; version: number; whole: Part },
  transaction: ClientSession,
): Promise<readonly RollupSum[]> {
  const kept = keptDays(ctx);
  const place = `${whole.period} ${key}`;
  const known = kept.get(place);
  if (known?.version === version) return known.sums;
  const sums = await Array.fromAsync(
    readSums(ctx, orgId, whole, { match: {}, columns: COLUMNS }, transaction),
  );
  if (sums.length <= MOST_SUMS_PER_DAY) kept.set(place, { version, sums });
  return sums;
}

function isWanted({ of }: RollupSum, { fromMs, toMs }: Part, { model, adapter }: Match): boolean {
  const startMs = of?.start?.getTime() ?? 0;
  const isAsked = (wanted: Match['model'], value: string | undefined) =>
    wanted === undefined || wanted === value;
  return startMs >= fromMs && startMs < toMs && isAsked(model, of?.model) && isAsked(adapter, of?.adapter);
}
