import type { Organization } from '../organizations/model.ts';
import { CLOCK_LAG_MS, dateAt } from '../platform/basics/clock.ts';
import { hashedKey } from '../platform/basics/ids.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import { type SnapshotPeriod, snapshotRows } from './model.ts';
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
 * The writes that mark the snapshots of those days (starts, epoch ms) that have closed, and of their months, in the
 * transaction that changes their rollups. Each is an upsert of the snapshot's own row: whoever makes that snapshot at the
 * same time conflicts with it, and makes it again from what is there then. A period that closes soon has a snapshot only if
 * this process has a clock that is behind: then it is marked too. Pure.
 */
export function planStaleSnapshots(
  organization: Pick<Organization, '_id' | 'timezones'>,
  days: Iterable<number>,
  nowMs: number,
): Write[] {
  const { _id: orgId, timezones } = organization;
  const ageOf = (period: SnapshotPeriod, startMs: number) => nowMs - periodEnd(timezones, period, startMs);
  const mayHaveOne = (period: SnapshotPeriod) => (startMs: number) => ageOf(period, startMs) >= -CLOCK_LAG_MS;
  const mark = (period: SnapshotPeriod) => (startMs: number) =>
    markStale(orgId, period, startMs, { upsert: ageOf(period, startMs) >= MARKED_AFTER_MS });
  // A month ends no sooner than each of its days, so most signals need only a look at their own.
  const late = [...days].filter(mayHaveOne('day'));
  const months = new Set(late.map((dayMs) => periodStarts(organization, dayMs).month));
  return [...late.map(mark('day')), ...[...months].filter(mayHaveOne('month')).map(mark('month'))];
}

/** Whether a part is a day or month that has been over for so long that no unmarked change of it can still commit. */
export function mayBeMade(part: Part, nowMs: number): part is WholePart {
  return part.period !== 'quarter_hour' && part.toMs + MADE_AFTER_MS <= nowMs;
}

/**
 * The write that marks one snapshot, also one that is not there unless `upsert` is false. The tables go at once, so that
 * the next mark rewrites a small row.
 */
export function markStale(
  orgId: string,
  period: SnapshotPeriod,
  startMs: number,
  { upsert = true }: { upsert?: boolean } = {},
): Write {
  const update = {
    $set: { is_stale: true },
    $inc: { version: 1 },
    $unset: { totals: true, cells: true },
    $setOnInsert: { org_id: orgId, period, start: dateAt(startMs) },
  } as const;
  return updateRow(snapshotRows, { _id: snapshotKey(orgId, period, startMs) }, update, { upsert });
}

/** The identity of a snapshot: uniqueness is the primary key's. */
export function snapshotKey(orgId: string, period: SnapshotPeriod, startMs: number): string {
  return hashedKey(18, orgId, period, startMs);
}
