import { dateAt } from '../../platform/basics/clock.ts';
import { DomainError, isDuplicateKey } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { MOST_ROWS, type RefusalMinute, refusalMinuteRows } from './model.ts';

/** Other processes may add rows to the same minute meanwhile. */
const ATTEMPTS = 10;

/**
 * Adds rows to those of an organization's minute, as many as there is room for. Returns all that the minute has. An answer is
 * final: a row that was not admitted never will be. Throws `store_unavailable` when other processes were always faster.
 */
export async function admitRows(
  ctx: Context,
  minute: { orgId: string; startMs: number },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const _id = `${minute.orgId}/${minute.startMs}`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const row = await refusalMinuteRows(ctx).findOne({ _id });
    const rows = row?.rows ?? [];
    const known = new Set(rows);
    const added = ids.filter((id) => !known.has(id)).slice(0, MOST_ROWS - rows.length);
    const made = { _id, org_id: minute.orgId, at: dateAt(minute.startMs), rows: added };
    if (added.length === 0 || (await add(ctx, row, made))) return new Set([...rows, ...added]);
  }
  throw new DomainError('store_unavailable', 'Refused calls could not be recorded yet.');
}

/** Returns false when another process was faster. The number of rows is the version of a minute, as they are only added to. */
async function add(ctx: Context, known: RefusalMinute | null, made: RefusalMinute): Promise<boolean> {
  const minutes = refusalMinuteRows(ctx);
  if (known) {
    const asKnown = { _id: made._id, rows: { $size: known.rows.length } };
    return (await minutes.updateOne(asKnown, { $push: { rows: { $each: made.rows } } })).matchedCount === 1;
  }
  try {
    await minutes.insertOne(made);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
