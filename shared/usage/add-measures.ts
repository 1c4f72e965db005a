import { MEASURES, type Measures } from './model.ts';

/** Nothing counted. */
export function noMeasures(): Measures {
  return Object.fromEntries(MEASURES.map((measure) => [measure, 0])) as Measures;
}

/** The measures of a row, and nothing else of it. */
export function measuresIn(row: Measures): Measures {
  return Object.fromEntries(MEASURES.map((measure) => [measure, row[measure]])) as Measures;
}

/** Adds measures to a row, in place. */
export function addMeasures(row: Measures, measures: Partial<Measures>): void {
  for (const measure of MEASURES) row[measure] += measures[measure] ?? 0;
}

/** Adds a row's measures to those of the row with its `_id`, which comes into being with it. */
export function addRow<Row extends Measures & { _id: string }>(rows: Map<string, Row>, row: Row): void {
  const known = rows.get(row._id);
  if (known) addMeasures(known, row);
  else rows.set(row._id, { ...row });
}

/** Whether a row counts nothing. */
export function isZeros(row: Measures): boolean {
  return MEASURES.every((measure) => row[measure] === 0);
}
