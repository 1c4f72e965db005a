import { hash } from 'node:crypto';
import { startOfDay } from '../../../../platform/basics/utc-days.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type DailyTable, type DayTotals, readDaily } from '../../closing/read-usage.ts';
import { whileUnchanged } from '../../closing/while-unchanged.ts';
import { ExportFailure } from '../failures.ts';
import type { ExportPartition } from '../model.ts';
import {
  finalFingerprint,
  openFingerprint,
  type PartitionTable,
  SUMMED,
  tableOf,
  totalsOf,
} from './partition-table.ts';
import type { Writing } from './run.ts';
import { type Part, type Spooled, spool } from './spool.ts';
import type { Target } from './targets.ts';

export interface SpooledPartition extends Spooled, Pick<PartitionTable, 'schemaId' | 'unpriced'> {
  fingerprint: string;
}

/**
 * Spools an open partition, so that it sums to usage: usage was read before and is read after, and when it is the same, the sum
 * of the file is compared with it. Null where the calls of the day are no longer kept. Throws `sums_differ`, and `stale` for a
 * day that does not rest.
 */
export async function spoolOpen(
  ctx: Context,
  { organization, folder }: Writing,
  target: Extract<Target, { state: 'open' }>,
  daily: DailyTable,
  totals: DayTotals,
): Promise<SpooledPartition | null> {
  const make = async (usage: DayUsage | null) => {
    const table = usage && (await tableOf(ctx, organization, target, usage.daily));
    return table && { table, spooled: await spool(folder, target.level.format, table) };
  };
  const found = await whileUnchanged({ ...totals, daily } as DayUsage | null, make, async () => {
    const now = await readDaily(ctx, organization, startOfDay(target.day));
    return now && { ...(await totalsOf(ctx, organization, target, now)), daily: now };
  });
  if (found === null) throw new ExportFailure('stale', target.day);
  const { usage, made } = found;
  if (!usage || !made) return null;
  const fingerprint = openFingerprint(organization, target, usage);
  return checked(target, made.table, { ...made.spooled, fingerprint }, usage.costNusd);
}

type DayUsage = DayTotals & { daily: DailyTable };

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

/**
 * The parts of a day that is written again. One that its manifest does not name yet gets a name that no other worker gives to any
 * file: one that stalled may still delete what it had replaced, and no place deletes on a condition.
 */
export async function ownParts(
  { store, claim }: Writing,
  parts: readonly Part[],
  known: ExportPartition | null,
): Promise<Part[]> {
  const key = known?.manifest_key ?? null;
  if (key === null) return [...parts];
  const named = (await store.read(key))?.text ?? '';
  return parts.map((part) => {
    const own = hash('sha256', `${part.sha256} ${claim.claim_id}`, 'hex').slice(0, 16);
    return named.includes(part.name) ? part : { ...part, name: part.name.replace(/[0-9a-f]{16}/, own) };
  });
}
