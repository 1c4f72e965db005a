import type { Organization } from '../organizations/model.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { hashedKey } from '../platform/basics/ids.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import { type Rollup, type SnapshotPeriod, snapshotRows } from './model.ts';
import { periodStarts } from './periods.ts';
import { type Part, periodEnd, type WholePart } from './split-range.ts';

/**
 * How long after the end of a day or month its snapshot may be made, and how long after it a changed rollup begins to
 * mark it. A transaction that changed rollups without a mark began before the second; it cannot last until the first
 * (15 s, and a minute where its process was killed), also when the clocks of two processes differ by a minute.
 */
const MADE_AFTER_MS = 10 * 60_000;
const MARKED_AFTER_MS = 5 * 60_000;

/**
 * The writes that mark the snapshots of closed days and months in which these rollups change, in the transaction that
 * changes them. Each is an upsert of the snapshot's own row: whoever makes that snapshot at the same time conflicts with
 * it, and makes it again from what is there then. Pure.
 */
export function planStaleSnapshots(
  organization: Pick<Organization, '_id' | 'timezones'>,
  changed: readonly Rollup[],
  nowMs: number,
): Write[] {
  const marked = new Map<string, Write>();
  const days = new Set(changed.flatMap(({ period, start }) => (period === 'day' ? [start.getTime()] : [])));
  const { _id: orgId, timezones } = organization;
  const isLate = (period: SnapshotPeriod, startMs: number) =>
    periodEnd(timezones, period, startMs) + MARKED_AFTER_MS <= nowMs;
  const mark = (period: SnapshotPeriod, startMs: number) => {
    const key = snapshotKey(orgId, period, startMs);
    marked.set(key, markStale(key, orgId, period, dateAt(startMs)));
  };
  // A month ends no sooner than each of its days, so most signals need only a look at their own.
  for (const dayMs of [...days].filter((startMs) => isLate('day', startMs))) {
    mark('day', dayMs);
    const monthMs = periodStarts(organization, dayMs).month;
    if (isLate('month', monthMs)) mark('month', monthMs);
  }
  return [...marked.values()];
}

/** Whether a part is a day or month that has been over for so long that no unmarked change of it can still commit. */
export function mayBeMade(part: Part, nowMs: number): part is WholePart {
  return part.period !== 'quarter_hour' && part.toMs + MADE_AFTER_MS <= nowMs;
}

/** The tables go at once, so that the next mark rewrites a small row. */
function markStale(_id: string, org_id: string, period: SnapshotPeriod, start: Date): Write {
  const update = {
    $set: { is_stale: true },
    $inc: { version: 1 },
    $unset: { totals: true, cells: true },
    $setOnInsert: { org_id, period, start },
  } as const;
  return updateRow(snapshotRows, { _id }, update, { upsert: true });
}

/** The identity of a snapshot: uniqueness is the primary key's. */
export function snapshotKey(orgId: string, period: SnapshotPeriod, startMs: number): string {
  return hashedKey(18, orgId, period, startMs);
}
