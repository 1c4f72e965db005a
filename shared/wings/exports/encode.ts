import { setImmediate as nextTurn } from 'node:timers/promises';
import { usd9 } from '../../core/pricing/money.ts';
import type { Columns, ColumnType, Row, Value } from '../../platform/basics/columns.ts';
import { csvLine, neutralize } from '../../platform/basics/csv.ts';
import { encodeParquet } from './encode-parquet.ts';

export const FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export const CONTENT_TYPES: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** A table as the bytes of a file, made as they are asked for. */
export function encode(
  format: Format,
  columns: Columns,
  batches: AsyncIterable<readonly Row[]>,
): AsyncIterable<string | Uint8Array> {
  const pieces = cut(batches);
  switch (format) {
    case 'csv':
      return encodeCsv(columns, pieces);
    case 'ndjson':
      return encodeNdjson(columns, pieces);
    case 'parquet':
      return encodeParquet(columns, pieces);
  }
}

/** Rows that are encoded in one turn of the event loop: a few milliseconds, also for code that has just been loaded. */
const ROWS_PER_TURN = 500;

/** The rows in batches of `ROWS_PER_TURN` at the most. */
async function* cut(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  for await (const rows of batches) {
    for (let from = 0; from < rows.length; from += ROWS_PER_TURN) {
      yield rows.slice(from, from + ROWS_PER_TURN);
      await nextTurn();
    }
  }
}

/** RFC 4180 with a header, money with 9 decimals, no cell that a spreadsheet would run, also by readers that end rows at LF or CR. */
async function* encodeCsv(columns: Columns, batches: AsyncIterable<readonly Row[]>): AsyncGenerator<string> {
  let header = csvLine(columns.map(({ name }) => name));
  for await (const rows of batches) {
    const lines = rows.map((row) => csvLine(row.map((value, at) => csvCell(columns[at]?.type, value))));
    yield header + lines.join('');
    header = '';
  }
  if (header !== '') yield header;
}

function csvCell(type: ColumnType | undefined, value: Value): string {
  if (value === null) return '';
  if (typeof value === 'bigint') return usd9(value);
  if (typeof value === 'object') return neutralize(JSON.stringify(value));
  return type === 'text' ? neutralize(String(value)) : String(value);
}

/** One JSON object per line; money is a number with all its 9 decimals. */
async function* encodeNdjson(
  columns: Columns,
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const names = columns.map(({ name }) => JSON.stringify(name));
  for await (const rows of batches) {
    const lines = rows.map(
      (row) => `{${row.map((value, at) => `${names[at]}:${jsonOf(value)}`).join(',')}}\n`,
    );
    yield lines.join('');
  }
}

function jsonOf(value: Value): string {
  return typeof value === 'bigint' ? usd9(value) : JSON.stringify(value);
}
