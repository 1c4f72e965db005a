import { noSums, type Sums } from './measures.ts';
import { DIMENSIONS, type Dimensions, MEASURES, type OpenSheet } from './model.ts';
import { ROW_CELLS } from './sheets.ts';

/** Rows whose columns have these values. */
export type Match = Partial<Record<keyof Dimensions, string | { $in: string[] }>>;
export type Column = keyof Dimensions | 'start';
/** A value for each asked column; `start` as epoch milliseconds. */
export type Key = Partial<Record<Column, string | number>>;

/** Sums under way: numbers, which are several times as quick as BigInt, and of money what no number holds. */
export interface Tally {
  key: Key;
  sums: Float64Array;
  carriedNusd: bigint;
}

const COST_AT = MEASURES.indexOf('cost_nusd');

/**
 * Adds (or takes away, by `sign`) the rollups of one sheet that are wanted, each to the tally of its columns' values;
 * `tallies` by `idOf` these values. Tens of thousands of rollups go through here for one question, so that nothing is
 * made or hashed for each of them.
 */
export function addSheet(
  tallies: Map<string, Tally>,
  { values, cells }: OpenSheet,
  of: { startMs: number; sign: 1 | -1; match: Match; by: readonly Column[] },
): void {
  const isWanted = matcherOf(values, of.match);
  const columns = of.by.filter((name) => name !== 'start').map((name) => DIMENSIONS.indexOf(name));
  const known = new Map<number, Tally>();
  for (let row = 0; row < cells.length; row += ROW_CELLS) {
    if (!isWanted(cells, row)) continue;
    let place = 0;
    for (const column of columns) {
      place = place * (values[column]?.length ?? 1) + (cells[row + column] ?? 0);
    }
    let tally = known.get(place);
    if (!tally) {
      const named = of.by.map((name) => valueAt(values, cells, row, name) ?? of.startMs);
      tally = tallyOf(tallies, of.by, named);
      known.set(place, tally);
    }
    addCells(tally, cells, row + DIMENSIONS.length, of.sign);
  }
}

/** What stands in a dimension's column; nothing for `start`, which all rollups of a sheet share. */
function valueAt(
  values: OpenSheet['values'],
  cells: Float64Array,
  row: number,
  name: Column,
): string | undefined {
  if (name === 'start') return undefined;
  const dimension = DIMENSIONS.indexOf(name);
  return values[dimension]?.[cells[row + dimension] ?? 0];
}

function tallyOf(
  tallies: Map<string, Tally>,
  by: readonly Column[],
  values: readonly (string | number)[],
): Tally {
  const id = idOf(values);
  const known = tallies.get(id);
  if (known) return known;
  const key = Object.fromEntries(by.map((name, at) => [name, values[at]]));
  const tally = { key, sums: new Float64Array(MEASURES.length), carriedNusd: 0n };
  tallies.set(id, tally);
  return tally;
}

/** One text for several values; no two lists of equal length share one. */
export function idOf(values: readonly (string | number)[]): string {
  const [first = '', ...others] = values;
  return others.reduce<string>((id, value) => `${id.length}:${id}${value}`, String(first));
}

function addCells(tally: Tally, cells: Float64Array, from: number, sign: 1 | -1): void {
  const { sums } = tally;
  for (let at = 0; at < sums.length; at += 1) {
    const cell = sign * (cells[from + at] ?? 0);
    const sum = (sums[at] ?? 0) + cell;
    if (at === COST_AT && !Number.isSafeInteger(sum)) {
      tally.carriedNusd += BigInt(sums[at] ?? 0);
      sums[at] = cell;
    } else {
      sums[at] = sum;
    }
  }
}

export function sumsOfTally({ sums, carriedNusd }: Pick<Tally, 'sums' | 'carriedNusd'>): Sums {
  const told = noSums();
  MEASURES.forEach((measure, at) => {
    if (measure === 'cost_nusd') told.cost_nusd = carriedNusd + BigInt(sums[at] ?? 0);
    else told[measure] = sums[at] ?? 0;
  });
  return told;
}

/** The rollups of a sheet that are wanted, each by itself. */
export function rowsOfSheet({ values, cells }: OpenSheet, match: Match): { key: Dimensions; sums: Sums }[] {
  const isWanted = matcherOf(values, match);
  const rows: { key: Dimensions; sums: Sums }[] = [];
  for (let row = 0; row < cells.length; row += ROW_CELLS) {
    if (!isWanted(cells, row)) continue;
    const named = DIMENSIONS.map((name) => [name, valueAt(values, cells, row, name) ?? '']);
    const key: Dimensions = Object.fromEntries(named);
    const sums = cells.subarray(row + DIMENSIONS.length, row + ROW_CELLS);
    rows.push({ key, sums: sumsOfTally({ sums, carriedNusd: 0n }) });
  }
  return rows;
}

/** Whether the rollup that begins at a cell is one of those. */
function matcherOf(values: OpenSheet['values'], match: Match): (cells: Float64Array, row: number) => boolean {
  const wanted = DIMENSIONS.flatMap((name, dimension) => {
    const asked = match[name];
    if (asked === undefined) return [];
    const names = new Set(typeof asked === 'string' ? [asked] : asked.$in);
    return [{ dimension, places: values[dimension]?.map((value) => names.has(value)) }];
  });
  return (cells, row) =>
    wanted.every(({ dimension, places }) => places?.[cells[row + dimension] ?? 0] === true);
}
