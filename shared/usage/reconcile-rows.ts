import { deleteRows, replaceRow, type Write } from '../platform/mongo/writes.ts';
import { isZeros, noMeasures } from './add-measures.ts';
import { MEASURES, type Rollup, rollupRows } from './model.ts';

/**
 * Those rollups that are not there as they must be; what must not be there at all, with zeros. A row of zeros is as good as
 * none. Pure.
 */
export function differingOf(right: readonly Rollup[], there: readonly Rollup[]): Rollup[] {
  const none = noMeasures();
  const wanted = new Set(right.map((row) => row._id));
  const known = new Map(there.map((row) => [row._id, row]));
  const unwanted = there.filter((row) => !wanted.has(row._id)).map((row) => ({ ...row, ...none }));
  const isDifferent = (row: Rollup) =>
    MEASURES.some((measure) => row[measure] !== (known.get(row._id) ?? none)[measure]);
  return [...right, ...unwanted].filter(isDifferent);
}

/** The write that puts a rollup in the place of what is there; one of zeros goes. */
export function repairOf(right: Rollup): Write {
  return isZeros(right)
    ? deleteRows(rollupRows, { _id: right._id }, { org_id: right.org_id })
    : replaceRow(rollupRows, right, { upsert: true });
}
