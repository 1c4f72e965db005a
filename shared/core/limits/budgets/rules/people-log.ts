import type { ClientSession } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import { collection } from '../../../../platform/mongo/collection.ts';
import { ALL_COUNTER_SHARDS } from '../../../../platform/mongo/counter-shards.ts';
import { optional } from '../../../../platform/mongo/fields.ts';
import { findByIds } from '../../../../platform/mongo/find-by-ids.ts';
import { updateRow, type Write } from '../../../../platform/mongo/writes.ts';

/**
 * The windows of people that transactions in one counter shard have changed, the newest last. Those transactions follow each
 * other, because each writes the shard's row of the organization's version: so a reader that knows how many were logged before
 * reads what changed since then, and nothing else (docs/adr/0226).
 */
interface PeopleLog {
  /** Organization and counter shard. */
  _id: string;
  org_id: string;
  /** How many windows were ever logged. */
  logged: number;
  /** The last of them (`personWindowKey`). */
  windows?: string[];
}

export const peopleLogRows = collection<PeopleLog>('budget_people_log', {
  about: 'Which windows of people have changed last, so that readers read those alone.',
  fields: {
    _id: String,
    org_id: String,
    logged: Number,
    windows: optional([String]),
  },
});

/** How many windows a row keeps. A reader that is further behind reads all. */
const MOST_KEPT = 500;

function logKey(orgId: string, shard: number): string {
  return `${orgId}/${shard}`;
}

/** The write that logs windows whose rows change in a counter shard. It belongs in the transaction that changes them. Pure. */
export function logWindows(orgId: string, shard: number, windows: readonly string[]): Write {
  const kept = { $each: windows.slice(-MOST_KEPT), $slice: -MOST_KEPT };
  return logged(orgId, shard, { $inc: { logged: windows.length }, $push: { windows: kept } });
}

/** The write by which every reader reads all windows again. It belongs in a transaction that takes all shards (`versions.ts`). */
export function logEverything(orgId: string): Write {
  return logged(orgId, 0, { $inc: { logged: MOST_KEPT + 1 } });
}

function logged(orgId: string, shard: number, update: object): Write {
  const inserted = { $setOnInsert: { org_id: orgId } };
  return updateRow(
    peopleLogRows,
    { _id: logKey(orgId, shard) },
    { ...update, ...inserted },
    { upsert: true },
  );
}

/** How many windows were logged, by counter shard. */
export type LogPosition = readonly number[];

/** The log of an organization, as one snapshot shows it. */
export interface ReadLog {
  position: LogPosition;
  /** By counter shard. */
  windows: readonly (readonly string[])[];
}

/** Reads the logs of organizations, as of the transaction's snapshot. */
export async function readPeopleLogs(
  ctx: Context,
  orgIds: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, ReadLog>> {
  const keys = orgIds.flatMap((orgId) => ALL_COUNTER_SHARDS.map((shard) => logKey(orgId, shard)));
  const rows = await findByIds(peopleLogRows(ctx), keys, transaction);
  const byKey = new Map(rows.map((row) => [row._id, row]));
  return new Map(
    orgIds.map((orgId) => {
      const own = ALL_COUNTER_SHARDS.map((shard) => byKey.get(logKey(orgId, shard)));
      const position = own.map((row) => row?.logged ?? 0);
      return [orgId, { position, windows: own.map((row) => row?.windows ?? []) }];
    }),
  );
}

/** The windows that were logged after a position, by counter shard. Null: more than are known, so that any may have changed. Pure. */
export function loggedSince({ position, windows }: ReadLog, before: LogPosition): string[][] | null {
  const counts = position.map((logged, shard) => logged - (before[shard] ?? 0));
  if (counts.some((count, shard) => count > (windows[shard]?.length ?? 0))) return null;
  return counts.map((count, shard) => (count === 0 ? [] : [...new Set(windows[shard]?.slice(-count))]));
}
