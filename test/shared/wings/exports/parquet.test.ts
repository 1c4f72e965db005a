import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Columns, Row } from '../../../../shared/platform/basics/columns.ts';
import { encode } from '../../../../shared/wings/exports/encode.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const COLUMNS: Columns = [
  { name: 'id', type: 'text' },
  { name: 'at', type: 'time' },
  { name: 'n', type: 'integer' },
  { name: 'models', type: 'list' },
  { name: 'cost', type: 'money' },
  { name: 'reason', type: 'text' },
];
const ROWS = 7_001;
/** The instant in the file as readers see it whose own zone is far from UTC. */
const READER_ZONE = 'Asia/Tokyo';
const folder = temporaryFolder(afterAll);

function rowAt(at: number): Row {
  const time = new Date(1_700_000_000_000 + 999 * at).toISOString();
  const models = at % 4 === 0 ? [] : ['a"b', `日本 ${at}`];
  const reason = at % 3 === 0 ? null : 'timeout';
  return [
    `ses_${at}_${'x'.repeat(at % 50)}`,
    time,
    Number.MAX_SAFE_INTEGER - at,
    models,
    7n * BigInt(at) - 3n,
    reason,
  ];
}

async function* batches(): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < ROWS; from += 700)
    yield Array.from({ length: Math.min(700, ROWS - from) }, (_, at) => rowAt(from + at));
}

const parquet = join(folder, 'rows.parquet');
const csv = join(folder, 'rows.csv');
beforeAll(async () => {
  const [bytes, text] = [encode('parquet', COLUMNS, batches()), encode('csv', COLUMNS, batches())];
  writeFileSync(parquet, Buffer.concat((await Array.fromAsync(bytes)) as Buffer[]));
  writeFileSync(csv, (await Array.fromAsync(text)).join(''));
});

it('a Parquet file of several row groups holds each row once, in order, each value exactly', async () => {
  const { read, close } = await openDuckdb();
  const groups = await read(
    `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('${parquet}')`,
  );
  const rows = await read(
    `SELECT id, epoch_ms("at"), n::VARCHAR, models, cost::VARCHAR, reason FROM read_parquet('${parquet}', file_row_number = true) ` +
      'ORDER BY file_row_number',
  );
  close();
  expect(groups.length).toBeGreaterThan(1);
  expect(groups.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(ROWS);
  const expected = Array.from({ length: ROWS }, (_, at) => {
    const [id, time, n, models, cost, reason] = rowAt(at);
    const sign = (cost as bigint) < 0n ? '-' : '';
    const digits = String(cost).replace('-', '').padStart(10, '0');
    const money = `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
    return [id, String(Date.parse(time as string)), String(n), JSON.stringify(models), money, reason];
  });
  expect(rows).toEqual(expected);
});

it('a time in a Parquet file is an instant, whatever the zone of its reader, and lists are text', async () => {
  const { read, close } = await openDuckdb();
  await read(`SET TimeZone = '${READER_ZONE}'`);
  const types = await read(`SELECT typeof("at"), typeof(models) FROM '${parquet}' LIMIT 1`);
  const logical = await read(
    `SELECT name, split_part(logical_type, '(', 1) FROM parquet_schema('${parquet}') WHERE name IN ('at', 'models', 'reason') ORDER BY name`,
  );
  const same = await read(
    `SELECT count(*)::INTEGER FROM '${parquet}' p JOIN read_csv('${csv}', header = true) c ON p.id = c.id AND p."at" = c."at"`,
  );
  const instant = await read(`SELECT epoch_ms("at") FROM '${parquet}' WHERE id = 'ses_0_'`);
  close();
  expect(types).toEqual([['TIMESTAMP WITH TIME ZONE', 'VARCHAR']]);
  expect(logical).toEqual([
    ['at', 'TimestampType'],
    ['models', 'StringType'],
    ['reason', 'StringType'],
  ]);
  expect([same, instant]).toEqual([[[ROWS]], [['1700000000000']]]);
});

async function openDuckdb() {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  return {
    read: async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
