import { addSums, COUNTS, isZero, noSums, type Sums } from './measures.ts';
import {
  CELL_DIMENSIONS,
  DIMENSIONS,
  type Dimensions,
  ROLLUP_DIMENSIONS,
  type Snapshot,
  TOTAL_DIMENSIONS,
} from './model.ts';

/** Sums of the rollups that have these values. Totals have no user and no project. */
export type Cell = Partial<Dimensions> & Sums;

/** Accepts the rows whose columns have these values. */
export type Match = Partial<Record<(typeof MATCHED)[number], string | { $in: string[] }>>;

const MATCHED = [...DIMENSIONS, 'work'] as const;

export type Column = keyof Dimensions | 'start';
/** A value for each asked column; `start` as epoch milliseconds. An empty `provider` means its model's (`providerOf`). */
export type Key = Partial<Record<Column, string | number>>;

export interface SummedRow {
  key: Key;
  sums: Sums;
}

/** Sums under way: one row per combination of the values of some columns. */
export interface Grouping {
  columns: readonly Column[];
  rows: SummedRow[];
  /** Adds a cell, or takes it away with the sign -1. `startMs` is the value of the column `start`. */
  add: (cell: Cell, startMs?: number, sign?: 1 | -1) => void;
}

interface Branch {
  row?: SummedRow;
  children?: Map<string | number, Branch>;
}

/** A map per column finds a row: tens of thousands of cells go through here for one question. */
export function createGrouping(columns: readonly Column[]): Grouping {
  const root: Branch = {};
  const rows: SummedRow[] = [];
  const rowOf = (branch: Branch, cell: Cell, startMs: number): SummedRow => {
    if (branch.row) return branch.row;
    const key = Object.fromEntries(columns.map((name) => [name, columnValue(name, cell, startMs)]));
    branch.row = { key, sums: noSums() };
    rows.push(branch.row);
    return branch.row;
  };
  const add = (cell: Cell, startMs = 0, sign: 1 | -1 = 1) => {
    let branch = root;
    for (const name of columns) branch = childOf(branch, columnValue(name, cell, startMs));
    addSums(rowOf(branch, cell, startMs).sums, cell, sign);
  };
  return { columns, rows, add };
}

function columnValue(column: Column, cell: Cell, startMs: number): string | number {
  return column === 'start' ? startMs : (cell[column] ?? '');
}

function childOf(branch: Branch, value: string | number): Branch {
  branch.children ??= new Map();
  const known = branch.children.get(value);
  if (known) return known;
  const child: Branch = {};
  branch.children.set(value, child);
  return child;
}

export function matcherOf(match: Match): (cell: Cell) => boolean {
  const wanted = MATCHED.flatMap((name) => {
    const asked = match[name];
    if (asked === undefined) return [];
    return [{ name, values: new Set(typeof asked === 'string' ? [asked] : asked.$in) }];
  });
  return (cell) => wanted.every(({ name, values }) => values.has(cell[name] ?? ''));
}

/** The tables of a snapshot of these cells, the same in whatever order they come; null where one would be too long. Pure. */
export function packSnapshot(
  cells: readonly Cell[],
): Required<Pick<Snapshot, 'totals' | 'cells' | 'dimensions'>> & Pick<Snapshot, 'works'> {
  const hasWork = cells.some((cell) => cell.work !== undefined && cell.work !== '' && !isZero(cell));
  return {
    totals: packCells(TOTAL_DIMENSIONS, cells),
    cells: packCells(CELL_DIMENSIONS, cells),
    ...(hasWork ? { works: packCells(ROLLUP_DIMENSIONS, cells) } : {}),
    dimensions: CELL_DIMENSIONS.length,
  };
}

/** The cells of a snapshot of an earlier version, which knew no provider. Pure. */
export function packEarlierCells(cells: readonly Cell[]): string | null {
  return packCells(DIMENSIONS, cells);
}

/** Parsing a longer one would hold up the event loop. This is about 70,000 rows. */
const MOST_BYTES = 4 * 2 ** 20;

type Name = keyof Dimensions;

/** JSON: the values of each dimension, and rows of the places in them followed by the measures. */
interface Packed {
  values: string[][];
  rows: (number | string)[][];
}

function packCells(dimensions: readonly Name[], cells: readonly Cell[]): string | null {
  const grouping = createGrouping(dimensions);
  for (const cell of cells) grouping.add(cell);
  const rows = grouping.rows.filter(({ sums }) => !isZero(sums));
  const values = dimensions.map((name) => [...new Set(rows.map(({ key }) => String(key[name])))].sort());
  const places = values.map((names) => new Map(names.map((name, place) => [name, place])));
  const lines = rows.map(({ key, sums }) => {
    const at = dimensions.map((name, dimension) => places[dimension]?.get(String(key[name])));
    const cost = Number(sums.cost_nusd);
    const exact = Number.isSafeInteger(cost) ? cost : String(sums.cost_nusd);
    return JSON.stringify([...at, ...COUNTS.map((measure) => sums[measure]), exact]);
  });
  const text = `{"values":${JSON.stringify(values)},"rows":[${lines.sort().join()}]}`;
  return Buffer.byteLength(text) > MOST_BYTES ? null : text;
}

/**
 * The cells of a table of a snapshot, each made as it is asked for; those with the same first dimensions follow each other. A table
 * of an earlier version has no provider, which is the last of the dimensions.
 */
export function* unpackCells(known: readonly Name[], text: string): Generator<Cell> {
  const { values, rows } = JSON.parse(text) as Packed;
  const dimensions = known.slice(0, values.length);
  for (const row of rows) {
    const cell: Cell = noSums();
    dimensions.forEach((name, at) => {
      cell[name] = values[at]?.[Number(row[at])] ?? '';
    });
    COUNTS.forEach((measure, at) => {
      cell[measure] = Number(row[dimensions.length + at]);
    });
    cell.cost_nusd = BigInt(row.at(-1) ?? 0);
    yield cell;
  }
}
