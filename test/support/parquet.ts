import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** The rows of a query over a Parquet file, as DuckDB reads it. */
export async function queryParquet(
  bytes: Buffer,
  sql: (file: string) => string,
): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'usage-parquet-'));
  const file = join(folder, 'read.parquet');
  writeFileSync(file, bytes);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql(file));
  const rows = reader.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
  return rows;
}
