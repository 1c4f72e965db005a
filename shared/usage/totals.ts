import { hashedKey } from '../platform/basics/ids.ts';
import { MEASURES, type Measures, type Rollup, type Total } from './model.ts';

/** The totals of rollups, as rows of one slot. Pure. */
export function totalsOf(rollups: readonly Rollup[], slot: number): Total[] {
  const totals = new Map<string, Total>();
  for (const { user_id: _user, project_id: _project, ...row } of rollups) {
    addRow(totals, { ...row, _id: totalKey(row, slot), writes: 1 });
  }
  return [...totals.values()];
}

/** Adds a row's measures to those of the row with its identity, which comes into being with it. */
export function addRow<Row extends Measures & { _id: string }>(rows: Map<string, Row>, row: Row): void {
  const known = rows.get(row._id);
  if (known) addMeasures(known, row);
  else rows.set(row._id, { ...row });
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

export function isZeros(row: Measures): boolean {
  return MEASURES.every((measure) => row[measure] === 0);
}

const KNOWN_COLUMNS: ReadonlySet<string> = new Set(['start', 'model', 'adapter']);

/** Whether the totals hold every column that a question filters or groups by. */
export function totalsAnswer(columns: readonly string[]): boolean {
  return columns.every((column) => KNOWN_COLUMNS.has(column));
}
