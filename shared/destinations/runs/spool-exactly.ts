import { type DailyTable, type DayTotals, readDaily } from '../../closing/read-usage.ts';
import { startOfDay } from '../../platform/basics/utc-days.ts';
import type { Context } from '../../platform/context/context.ts';
import { ExportFailure } from '../failures.ts';
import {
  finalFingerprint,
  openFingerprint,
  type PartitionTable,
  SUMMED,
  tableOf,
  totalsOf,
} from './partition-table.ts';
import type { Writing } from './run.ts';
import { type Spooled, spool } from './spool.ts';
import type { Target } from './targets.ts';

/** The files of a partition that sum to usage. */
export interface SpooledPartition extends Spooled, Pick<PartitionTable, 'schemaId' | 'unpriced'> {
  fingerprint: string;
}

/** Looks of one run at a day that changes while it is read. */
const LOOKS = 3;

/**
 * Spools an open partition, so that it sums to usage: usage was read before and is read after, and when it is the same, the sum
 * of the file is compared with it. Null where the calls of the day are no longer kept. Throws `sums_differ`, and `stale` for a
 * day that does not rest.
 */
export async function spoolOpen(
  ctx: Context,
  { organization, folder }: Writing,
  target: Extract<Target, { state: 'open' }>,
  first: { daily: DailyTable; totals: DayTotals },
): Promise<SpooledPartition | null> {
  let { daily, totals } = first;
  for (let look = 1; look <= LOOKS; look += 1) {
    const table = await tableOf(ctx, organization, target, daily);
    if (table === null) return null;
    const spooled = await spool(folder, target.level.format, table);
    const now = await readDaily(ctx, organization, startOfDay(target.day));
    if (now === null) return null;
    const after = await totalsOf(ctx, organization, target, now);
    if (after.hash === totals.hash) {
      const fingerprint = openFingerprint(organization, target, totals);
      return checked(target, table, { ...spooled, fingerprint }, totals.costNusd);
    }
    daily = now;
    totals = after;
  }
  throw new ExportFailure('stale', target.day);
}

/** Spools a final partition from the rows that were closed. Throws `sums_differ`. */
export async function spoolFinal(
  ctx: Context,
  { organization, folder }: Writing,
  target: Extract<Target, { state: 'final' }>,
): Promise<SpooledPartition | null> {
  const table = await tableOf(ctx, organization, target, null);
  if (table === null) return null;
  const spooled = await spool(folder, target.level.format, table);
  const fingerprint = finalFingerprint(target);
  return checked(target, table, { ...spooled, fingerprint }, BigInt(target.part?.cost_nusd ?? 0));
}

function checked(
  { level, day }: Target,
  { schemaId, unpriced }: PartitionTable,
  spooled: Spooled & { fingerprint: string },
  costNusd: bigint,
): SpooledPartition {
  if ((spooled.sums.get(SUMMED[level.level].at(-1) ?? '') ?? 0n) !== costNusd)
    throw new ExportFailure('sums_differ', day);
  return { ...spooled, ...(schemaId ? { schemaId } : {}), ...(unpriced ? { unpriced } : {}) };
}
