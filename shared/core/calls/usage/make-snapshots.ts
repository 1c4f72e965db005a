import type { ClientSession } from 'mongoose';
import { commitPlan, type Decision } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { LONG_TRANSACTION } from '../../../platform/mongo/transaction.ts';
import { replaceRow } from '../../../platform/mongo/writes.ts';
import { forEachOrganization } from '../../accounts/organizations/for-each-organization.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { readOrganization } from '../../accounts/organizations/read-organization.ts';
import { earliestCountedMs } from './calendar.ts';
import { type Cell, packSnapshot } from './cells.ts';
import { sumsOf } from './measures.ts';
import {
  type Dimensions,
  ROLLUP_DIMENSIONS,
  type Rollup,
  rollupRows,
  type Snapshot,
  snapshotRows,
} from './model.ts';
import { inPart } from './read-rollups.ts';
import { isCurrent, mayBeMade, snapshotKey } from './snapshots.ts';
import { type Part, type WholePart, wholeParts } from './split-range.ts';
import { sumRollups } from './sum-rollups.ts';

/**
 * Makes the snapshots of every organization that are missing or stale, of the days and months that a signal may still
 * have changed. Older ones are made when a question meets them. An organization that fails is left for the next run.
 * Returns how many were made.
 */
export async function makeAllSnapshots(ctx: Context): Promise<number> {
  const toMs = ctx.clock.now();
  const fromMs = earliestCountedMs(toMs);
  let made = 0;
  await forEachOrganization(ctx, 'usage snapshots were not made', async (organization) => {
    made += await makeSnapshots(ctx, organization, { fromMs, toMs });
  });
  return made;
}

/** Makes the snapshots that a question has missed: see `makeSnapshots`. Throws `not_found` without the organization. */
export async function makeAskedSnapshots(
  ctx: Context,
  { org_id, from_ms, to_ms }: { org_id: string; from_ms: number; to_ms: number },
): Promise<number> {
  const organization = await readOrganization(ctx, org_id);
  return makeSnapshots(ctx, organization, { fromMs: from_ms, toMs: to_ms });
}

/**
 * Makes those snapshots of an organization that are missing or stale, of the days and months that hold any of
 * `[fromMs, toMs)` (epoch ms) and have closed. Repeating it changes nothing. Returns how many were made.
 */
export async function makeSnapshots(
  ctx: Context,
  organization: Organization,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number> {
  const nowMs = ctx.clock.now();
  const firstMs = earliestCountedMs(organization.created_at.getTime());
  const within = [Math.max(fromMs, firstMs), Math.min(toMs, nowMs)] as const;
  const parts = (['day', 'month'] as const)
    .flatMap((period) => [...wholeParts(organization, period, ...within)])
    .filter((part) => mayBeMade(part, nowMs));
  const keys = parts.map(({ period, fromMs: startMs }) => snapshotKey(organization._id, period, startMs));
  const there = await snapshotRows(ctx)
    .find({ _id: { $in: keys } }, { projection: { is_stale: 1, dimensions: 1 } })
    .toArray();
  const fresh = new Set(there.filter(isCurrent).map(({ _id }) => _id));
  let made = 0;
  for (const [index, part] of parts.entries()) {
    if (fresh.has(keys[index] ?? '')) continue;
    const decide = (transaction: ClientSession) => decideSnapshot(ctx, organization, part, transaction);
    if (await commitPlan(ctx, decide, LONG_TRANSACTION)) made += 1;
  }
  return made;
}

/** Decides about one snapshot: whether it is made. */
async function decideSnapshot(
  ctx: Context,
  organization: Organization,
  part: WholePart,
  transaction: ClientSession,
): Promise<Decision<boolean>> {
  const _id = snapshotKey(organization._id, part.period, part.fromMs);
  const options = { session: transaction, projection: { version: 1, is_stale: 1, dimensions: 1 } };
  const there = await snapshotRows(ctx).findOne({ _id }, options);
  if (there && isCurrent(there)) return { result: false };
  const cells =
    part.period === 'day'
      ? (await findRollups(ctx, organization._id, part, transaction)).map(cellOf)
      : await sumMonth(ctx, organization, part, transaction);
  const snapshot = snapshotOf(organization._id, part, cells, (there?.version ?? 0) + 1);
  return { writes: [replaceRow(snapshotRows, snapshot, { upsert: true })], result: true };
}

/** The sums of a month, from the snapshots of its days or from their rollups. */
async function sumMonth(
  ctx: Context,
  organization: Organization,
  month: WholePart,
  transaction: ClientSession,
): Promise<Cell[]> {
  const asked = { parts: [{ ...month, period: 'day' as const }], match: {}, columns: ROLLUP_DIMENSIONS };
  const rows = await sumRollups(ctx, organization, asked, transaction);
  return rows.map(({ key, sums }) => ({ ...(key as Dimensions), ...sums }));
}

/** The rollups of a part, as of the transaction's snapshot of the store. */
export function findRollups(
  ctx: Context,
  orgId: string,
  part: Part,
  transaction: ClientSession,
): Promise<Rollup[]> {
  return rollupRows(ctx).find(inPart(orgId, part), { session: transaction, batchSize: 5_000 }).toArray();
}

/** A rollup as a cell of a snapshot. */
export function cellOf({
  user_id,
  project_id,
  model,
  adapter,
  provider = '',
  work = '',
  ...row
}: Rollup): Cell {
  return { user_id, project_id, model, adapter, provider, work, ...sumsOf(row) };
}

/** The snapshot of a day or month that has these sums. Pure. */
export function snapshotOf(
  orgId: string,
  { period, fromMs }: Pick<WholePart, 'period' | 'fromMs'>,
  cells: readonly Cell[],
  version: number,
): Snapshot {
  const _id = snapshotKey(orgId, period, fromMs);
  const start = new Date(fromMs);
  return { _id, org_id: orgId, period, start, version, is_stale: false, ...packSnapshot(cells) };
}
