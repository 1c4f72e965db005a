import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, it } from 'vitest';
import type { Columns, Row } from '../../../shared/exports/columns.ts';
import { encode } from '../../../shared/exports/encode.ts';

const COLUMNS: Columns = [
  { name: 'id', type: 'text' },
  { name: 'at', type: 'time' },
  { name: 'n', type: 'integer' },
  { name: 'models', type: 'list' },
  { name: 'cost', type: 'money' },
  { name: 'reason', type: 'text' },
];
const ROWS = 7_001;
const folder = mkdtempSync(join(tmpdir(), 'parquet-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

it('a Parquet file of several row groups holds each row once, in order, each value exactly', async () => {
  const file = join(folder, 'rows.parquet');
  writeFileSync(
    file,
    Buffer.concat((await Array.fromAsync(encode('parquet', COLUMNS, batches()))) as Buffer[]),
  );
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  const groups = await read(
    `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('${file}')`,
  );
  const rows = await read(
    `SELECT id, epoch_ms("at"), n::VARCHAR, models, cost::VARCHAR, reason FROM read_parquet('${file}', file_row_number = true) ` +
      'ORDER BY file_row_number',
  );
  connection.closeSync();
  instance.closeSync();
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
