import { hashedKey } from '../ids.ts';
import { MEASURES, type Measures, type Rollup, type Total } from './model.ts';

/** The totals of rollups, as rows of one slot. Pure. */
export function totalsOf(rollups: readonly Rollup[], slot: number): Total[] {
  const totals = new Map<string, Total>();
  for (const { user_id: _user, project_id: _project, ...row } of rollups) {
    const _id = totalKey(row, slot);
    const known = totals.get(_id);
    if (known) addMeasures(known, row);
    else totals.set(_id, { ...row, _id });
  }
  return [...totals.values()];
}

/** The identity of a total's row in one slot. */
export function totalKey(
  of: Pick<Total, 'org_id' | 'period' | 'start' | 'model' | 'adapter'>,
  slot: number,
): string {
  return hashedKey(18, of.org_id, of.period, of.start.getTime(), of.model, of.adapter, slot);
}

/** Adds in place. */
export function addMeasures(row: Measures, measures: Partial<Measures>): void {
  for (const measure of MEASURES) row[measure] += measures[measure] ?? 0;
}

const KNOWN_COLUMNS: ReadonlySet<string> = new Set(['start', 'model', 'adapter']);

/** Whether the totals hold every column that a question filters or groups by. */
export function totalsAnswer(columns: readonly string[]): boolean {
  return columns.every((column) => KNOWN_COLUMNS.has(column));
}
