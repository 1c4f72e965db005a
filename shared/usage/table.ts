import { addMeasures, isZeros, noMeasures } from './add-measures.ts';
import { idOf } from './id-of.ts';
import {
  DIMENSIONS,
  type Dimensions,
  MEASURES,
  type Measures,
  type StoredTable,
  TOTAL_DIMENSIONS,
} from './model.ts';

type Dimension = keyof Dimensions;

/** A stored table as it is worked with. */
export interface Table {
  dimensions: readonly Dimension[];
  /** For each dimension the list of its values. */
  values: readonly (readonly string[])[];
  /** Row after row: the places of its values, then its measures. */
  numbers: Float64Array;
}

/** MongoDB holds documents of 16 MiB: this is about 100,000 rollups. */
const MOST_CELL_BYTES = 11 * 2 ** 20;
const MOST_TOTAL_BYTES = 4 * 2 ** 20;

/** What one row of a snapshot says. */
export type CellRow = Dimensions & Measures;

/**
 * The tables of a snapshot of these rows, one per combination of dimensions; null where there are too many rows, or one
 * holds more money than a number does (2^53 nano-USD). Equal rows, equal tables. Pure.
 */
export function tablesOf(cells: readonly CellRow[]): {
  totals: StoredTable | null;
  cells: StoredTable | null;
} {
  const rows = cells
    .filter((row) => !isZeros(row))
    .map((row) => ({ row, id: idOf(DIMENSIONS.map((name) => row[name])) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ row }) => row);
  if (!rows.every(({ cost_nusd }) => Number.isSafeInteger(cost_nusd))) return { totals: null, cells: null };
  return {
    totals: pack(TOTAL_DIMENSIONS, totalsOf(rows), MOST_TOTAL_BYTES),
    cells: pack(DIMENSIONS, rows, MOST_CELL_BYTES),
  };
}

type Total = Measures & Pick<Dimensions, (typeof TOTAL_DIMENSIONS)[number]>;

/** Sums by model and adapter. A row whose money would pass 2^53 nano-USD is followed by another of the same key. */
function totalsOf(rows: readonly CellRow[]): Total[] {
  const totals: Total[] = [];
  const current = new Map<string, Total>();
  for (const row of rows) {
    const key = JSON.stringify([row.model, row.adapter]);
    const known = current.get(key);
    if (known && Number.isSafeInteger(known.cost_nusd + row.cost_nusd)) {
      addMeasures(known, row);
      continue;
    }
    const total = { ...noMeasures(), model: row.model, adapter: row.adapter };
    addMeasures(total, row);
    current.set(key, total);
    totals.push(total);
  }
  return totals;
}

function pack<Name extends Dimension>(
  dimensions: readonly Name[],
  rows: readonly (Measures & Pick<Dimensions, Name>)[],
  mostBytes: number,
): StoredTable | null {
  const lists = dimensions.map((name) => [...new Set(rows.map((row) => row[name]))].sort());
  const places = lists.map((list) => new Map(list.map((value, place) => [value, place])));
  const width = dimensions.length + MEASURES.length;
  const numbers = new Float64Array(rows.length * width);
  rows.forEach((row, index) => {
    const at = dimensions.map((name, dimension) => places[dimension]?.get(row[name]) ?? 0);
    numbers.set([...at, ...MEASURES.map((measure) => row[measure])], index * width);
  });
  const values = JSON.stringify(lists);
  if (Buffer.byteLength(values) + numbers.byteLength > mostBytes) return null;
  return { values, numbers: Buffer.from(numbers.buffer) };
}

/** What `pack` has packed. */
export function openTable(dimensions: readonly Dimension[], { values, numbers }: StoredTable): Table {
  // A copy, as numbers of 8 bytes must begin at a multiple of 8.
  return {
    dimensions,
    values: JSON.parse(values),
    numbers: new Float64Array(new Uint8Array(numbers).buffer),
  };
}

/** Whether two stored tables hold the same, byte for byte. */
export function isSameTable(one: StoredTable | null | undefined, other: StoredTable | null): boolean {
  if (!one || !other) return one === other;
  return one.values === other.values && one.numbers.equals(other.numbers);
}
