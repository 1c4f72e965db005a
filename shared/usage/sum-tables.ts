import { idOf } from './id-of.ts';
import { noSums, type Sums } from './measures.ts';
import { type Dimensions, MEASURES } from './model.ts';
import type { Table } from './table.ts';

/** Rows whose columns have these values. */
export type Match = Partial<Record<keyof Dimensions, string | { $in: string[] }>>;
export type Column = keyof Dimensions | 'start';
/** A value for each asked column; `start` as epoch milliseconds. */
export type Key = Partial<Record<Column, string | number>>;

/** Sums of the rows that have these values. */
export interface SummedRow {
  key: Key;
  sums: Sums;
}

/** Sums under way. Numbers are several times as quick as BigInt; `carriedNusd` is the money that no number holds. */
interface Aggregate {
  key: Key;
  sums: Float64Array;
  carriedNusd: bigint;
}

/** Sums under way by the values of these columns: an aggregate by `idOf` each combination. */
export interface Grouped {
  by: readonly Column[];
  aggregates: Map<string, Aggregate>;
}

const COST_AT = MEASURES.indexOf('cost_nusd');

/**
 * Adds (or takes away, by `sign`) the rows of one table that match. Tens of thousands of rows go through here for one
 * question, so nothing is made or hashed for each of them.
 */
export function addTable(
  grouped: Grouped,
  table: Table,
  of: { startMs: number; sign: 1 | -1; match: Match },
): void {
  const { by } = grouped;
  const { dimensions, values, numbers } = table;
  const isWanted = matcherOf(table, of.match);
  const columns = by.flatMap((name) => (name === 'start' ? [] : [dimensions.indexOf(name)]));
  const known = new Map<number, Aggregate>();
  const width = dimensions.length + MEASURES.length;
  for (let row = 0; row < numbers.length; row += width) {
    if (!isWanted(numbers, row)) continue;
    let place = 0;
    for (const column of columns) {
      place = place * (values[column]?.length ?? 1) + (numbers[row + column] ?? 0);
    }
    let aggregate = known.get(place);
    if (!aggregate) {
      const named = by.map((name) => (name === 'start' ? of.startMs : valueAt(table, row, name)));
      aggregate = aggregateOf(grouped, named);
      known.set(place, aggregate);
    }
    addNumbers(aggregate, numbers, row + dimensions.length, of.sign);
  }
}

/** Adds (or takes away) measures as the store sums them up: 64-bit integers are BigInt. */
export function addRow(grouped: Grouped, key: Key, row: Record<string, unknown>, sign: 1 | -1): void {
  const named = grouped.by.map((name) => key[name] ?? '');
  const aggregate = aggregateOf(grouped, named);
  const numbers = MEASURES.map((measure) => Number(row[measure] ?? 0));
  if (!Number.isSafeInteger(numbers[COST_AT])) {
    aggregate.carriedNusd += BigInt(sign) * BigInt(row.cost_nusd as bigint | number);
    numbers[COST_AT] = 0;
  }
  addNumbers(aggregate, numbers, 0, sign);
}

function valueAt({ dimensions, values, numbers }: Table, row: number, name: keyof Dimensions): string {
  const dimension = dimensions.indexOf(name);
  return values[dimension]?.[numbers[row + dimension] ?? 0] ?? '';
}

function aggregateOf({ by, aggregates }: Grouped, values: readonly (string | number)[]): Aggregate {
  const id = idOf(values);
  const known = aggregates.get(id);
  if (known) return known;
  const key = Object.fromEntries(by.map((name, at) => [name, values[at]]));
  const aggregate = { key, sums: new Float64Array(MEASURES.length), carriedNusd: 0n };
  aggregates.set(id, aggregate);
  return aggregate;
}

function addNumbers(aggregate: Aggregate, numbers: ArrayLike<number>, from: number, sign: 1 | -1): void {
  const { sums } = aggregate;
  for (let at = 0; at < sums.length; at += 1) {
    const number = sign * (numbers[from + at] ?? 0);
    const sum = (sums[at] ?? 0) + number;
    if (at === COST_AT && !Number.isSafeInteger(sum)) {
      aggregate.carriedNusd += BigInt(sums[at] ?? 0);
      sums[at] = number;
    } else {
      sums[at] = sum;
    }
  }
}

/** What an aggregate has summed up. */
export function sumsOfAggregate({ sums, carriedNusd }: Pick<Aggregate, 'sums' | 'carriedNusd'>): Sums {
  const result = noSums();
  MEASURES.forEach((measure, at) => {
    if (measure === 'cost_nusd') result.cost_nusd = carriedNusd + BigInt(sums[at] ?? 0);
    else result[measure] = sums[at] ?? 0;
  });
  return result;
}

/** The rows of a table of all dimensions that match, each by itself, made as they are asked for. */
export function* rowsOfTable(table: Table, match: Match): Generator<{ key: Dimensions; sums: Sums }> {
  const { dimensions, numbers } = table;
  const isWanted = matcherOf(table, match);
  const width = dimensions.length + MEASURES.length;
  for (let row = 0; row < numbers.length; row += width) {
    if (!isWanted(numbers, row)) continue;
    const named = dimensions.map((name) => [name, valueAt(table, row, name)]);
    const key = Object.fromEntries(named) as Dimensions;
    const sums = numbers.subarray(row + dimensions.length, row + width);
    yield { key, sums: sumsOfAggregate({ sums, carriedNusd: 0n }) };
  }
}

/** Whether the row that begins at a place in `numbers` matches. */
function matcherOf(
  { dimensions, values }: Table,
  match: Match,
): (numbers: Float64Array, row: number) => boolean {
  const wanted = dimensions.flatMap((name, dimension) => {
    const asked = match[name];
    if (asked === undefined) return [];
    const names = new Set(typeof asked === 'string' ? [asked] : asked.$in);
    return [{ dimension, places: values[dimension]?.map((value) => names.has(value)) }];
  });
  return (numbers, row) =>
    wanted.every(({ dimension, places }) => places?.[numbers[row + dimension] ?? 0] === true);
}
