import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteWriter, ParquetWriter, SchemaElement } from 'hyparquet-writer';
import type { Columns, ColumnType, Row, Value } from '../../platform/basics/columns.ts';

/**
 * Rows of a row group. Code that has just been loaded takes seven times as long, so the first is small and each twice the
 * one before. The end of the file lists all of them, in one turn of the event loop, so there must be few.
 */
const ROW_GROUP_ROWS = { first: 2_000, most: 32_000 };
/** Values of a row group: a table of many columns has fewer rows in each, since a group is in memory. */
const ROW_GROUP_VALUES = 400_000;

/**
 * Encodes one row group after the other, each column of it in a turn of the event loop. Money is DECIMAL(18, 9), a time is
 * TIMESTAMP(isAdjustedToUTC, milliseconds), so that every reader takes it for an instant, and a list is JSON text.
 * The first such export loads the library, since few processes ever make one.
 */
export async function* encodeParquet(
  columns: Columns,
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const schema = [{ name: 'root', num_children: columns.length }, ...columns.map(schemaElement)];
  const writer = new ParquetWriter({ writer: bytes, schema });
  const group = newGroup(columns);
  const most = mostRows(columns);
  let wanted = Math.min(ROW_GROUP_ROWS.first, most);
  for await (const rows of batches) {
    for (const row of rows) {
      append(group, row);
      if (group.rows < wanted) continue;
      yield* writeGroup(writer, bytes, group);
      wanted = Math.min(2 * wanted, most);
    }
  }
  if (group.rows > 0) yield* writeGroup(writer, bytes, group);
  await writer.finish();
  yield take(bytes);
}

/** The values of a row group by column, in memory that all row groups share, so the collector moves none of it. */
interface Group {
  rows: number;
  columns: readonly GroupColumn[];
}

interface GroupColumn {
  element: SchemaElement;
  type: ColumnType;
  /** The values of text, lists, counts and prices: those that may be null. */
  boxed: Value[];
  /** The values of the others. */
  numbers: BigInt64Array;
}

function mostRows(columns: Columns): number {
  return Math.min(ROW_GROUP_ROWS.most, Math.ceil(ROW_GROUP_VALUES / columns.length));
}

function newGroup(columns: Columns): Group {
  const newColumn = (column: Columns[number]): GroupColumn => ({
    element: schemaElement(column),
    type: column.type,
    boxed: [],
    numbers: new BigInt64Array(isBoxed(column.type) ? 0 : mostRows(columns)),
  });
  return { rows: 0, columns: columns.map(newColumn) };
}

function isBoxed(type: ColumnType): boolean {
  return type === 'text' || type === 'list' || type === 'count' || type === 'price';
}

function append(group: Group, row: Row): void {
  group.columns.forEach(({ type, boxed, numbers }, at) => {
    const value = row[at] ?? null;
    if (isBoxed(type)) boxed[group.rows] = boxedOf(type, value);
    else
      numbers[group.rows] = BigInt(
        type === 'time' ? Date.parse(value as string) : (value as number | bigint),
      );
  });
  group.rows += 1;
}

function boxedOf(type: ColumnType, value: Value): Value {
  if (type === 'list') return JSON.stringify(value);
  return typeof value === 'number' ? BigInt(value) : value;
}

/** Writes the rows of a group, and empties it. */
async function* writeGroup(
  writer: ParquetWriter,
  bytes: ByteWriter,
  group: Group,
): AsyncGenerator<Uint8Array> {
  const { writeColumn } = await import('hyparquet-writer/src/column.js');
  const began = bytes.offset;
  const columns = [];
  for (const one of group.columns) {
    const { chunk } = writeColumn({
      writer: bytes,
      column: columnEncoder(writer, one),
      pageData: pageData(one, group.rows),
    });
    columns.push(chunk);
    yield take(bytes);
    await nextTurn();
  }
  writer.num_rows += BigInt(group.rows);
  writer.row_groups.push({
    columns,
    num_rows: BigInt(group.rows),
    total_byte_size: columns.reduce(
      (sum, chunk) => sum + (chunk.meta_data?.total_uncompressed_size ?? 0n),
      0n,
    ),
    total_compressed_size: BigInt(bytes.offset - began),
  });
  group.rows = 0;
}

/** A column as the library's own writer would have it encoded. */
function columnEncoder({ codec, compressors, statistics: stats }: ParquetWriter, { element }: GroupColumn) {
  return {
    columnName: element.name,
    element,
    schemaPath: [{ name: 'root' }, element],
    codec,
    compressors: { SNAPPY: compressors.SNAPPY },
    stats,
    pageSize: 2 ** 20,
    columnIndex: false,
    offsetIndex: false,
  };
}

/** Values, and for those that may be null whether each is there: 1, or 0. */
function pageData({ type, boxed, numbers }: GroupColumn, rows: number) {
  const flat = { definitionLevels: [], repetitionLevels: [], maxDefinitionLevel: 0 };
  if (!isBoxed(type)) return { ...flat, values: numbers.subarray(0, rows) };
  const values = boxed.slice(0, rows);
  return {
    ...flat,
    values,
    definitionLevels: values.map((value) => (value === null ? 0 : 1)),
    maxDefinitionLevel: 1,
  };
}

/** The bytes that were written since the last call. Offsets in the file go on. */
function take(bytes: ByteWriter): Uint8Array {
  const taken = new Uint8Array(bytes.getBuffer());
  bytes.index = 0;
  return taken;
}

/** The converted type beside it names no zone: readers take that alone for a local time. */
const UTC_MILLIS = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } as const;

const MONEY = { converted_type: 'DECIMAL', precision: 18, scale: 9 } as const;

/** The schema of a column, with the logical types of today and the converted types of older readers. */
function schemaElement({ name, type }: Columns[number]): SchemaElement {
  const text = { name, repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY' } as const;
  const number = { name, repetition_type: 'REQUIRED', type: 'INT64' } as const;
  switch (type) {
    case 'text':
    case 'list':
      return { ...text, converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'integer':
      return number;
    case 'count':
      return {
        ...number,
        repetition_type: 'OPTIONAL',
        converted_type: 'DECIMAL',
        precision: 18,
        scale: 0,
      };
    case 'time':
      return { ...number, converted_type: 'TIMESTAMP_MILLIS', logical_type: UTC_MILLIS };
    case 'money':
      return { ...number, ...MONEY };
    case 'price':
      return { ...number, ...MONEY, repetition_type: 'OPTIONAL' };
  }
}
