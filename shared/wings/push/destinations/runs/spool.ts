import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Columns, Row } from '../../../../platform/basics/columns.ts';
import type { Config } from '../../../../platform/basics/config.ts';
import { encode, type Format } from '../../../exports/encode.ts';
import { ExportFailure } from '../failures.ts';
import type { MadeFile } from '../stores/store.ts';
import type { PartitionTable } from './partition-table.ts';

/** A file of a partition. Its name has the beginning of its hash: other bytes are another file. */
export interface Part extends MadeFile {
  name: string;
  rows: number;
}

/** The files of a table, and the sums of its columns of money, nano-USD by name. */
export interface Spooled {
  parts: Part[];
  rows: number;
  sums: Map<string, bigint>;
}

/** The names of our files. */
export const PART_NAME = /^part-\d{3}-[0-9a-f]{16}\.(?:csv|ndjson|parquet)$/;
/** Rows of a file. */
const MOST_ROWS = 1_000_000;
/** A folder of a worker that died is removed by the next run after this. Milliseconds. */
const ABANDONED_MS = 24 * 3_600_000;

/** Makes a folder for the files of a run of a destination, and removes those that dead workers left. Returns how to end it. */
export async function openSpool(
  config: Config,
  destinationId: string,
  nowMs: number,
): Promise<{ folder: string; remove: () => Promise<void> }> {
  const root = config.exportSpoolDir ?? tmpdir();
  const begin = `governor-export-${destinationId}-`;
  return guarded(async () => {
    await mkdir(root, { recursive: true });
    for (const name of await readdir(root)) {
      if (!name.startsWith(begin)) continue;
      const found = await stat(join(root, name)).catch(() => null);
      if (found && found.mtimeMs < nowMs - ABANDONED_MS)
        await rm(join(root, name), { recursive: true, force: true });
    }
    const folder = await mkdtemp(join(root, begin));
    return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
  });
}

/** Writes a table to files of at most `mostRows`, and hashes them. The same rows make the same bytes and names. */
export async function spool(
  folder: string,
  format: Format,
  table: PartitionTable,
  mostRows = MOST_ROWS,
): Promise<Spooled> {
  const sums = new Map(
    table.columns.filter(({ type }) => type === 'money').map(({ name }) => [name, 0n] as const),
  );
  const parts: Part[] = [];
  let rows = 0;
  const source = summing(table, sums);
  for (let rest = await take(source, mostRows); rest !== null; rest = await take(source, mostRows)) {
    const file = rest;
    const made = await guarded(() => write(join(folder, 'part'), format, table.columns, file.batches));
    const number = String(parts.length).padStart(3, '0');
    const name = `part-${number}-${made.sha256.slice(0, 16)}.${format}`;
    const path = join(folder, name);
    await guarded(() => rename(made.path, path));
    parts.push({ ...made, path, name, rows: file.read() });
    rows += file.read();
  }
  return { parts, rows, sums };
}

async function* summing({ columns, rows: batches }: PartitionTable, sums: Map<string, bigint>) {
  const money = columns.flatMap(({ name, type }, at) => (type === 'money' ? [{ name, at }] : []));
  for await (const rows of batches) {
    for (const row of rows)
      for (const { name, at } of money)
        sums.set(name, (sums.get(name) ?? 0n) + BigInt(row[at] as bigint | number));
    yield* rows;
  }
}

const BATCH_ROWS = 500;

/** The next rows, as batches, or null where there are no more. */
async function take(source: AsyncGenerator<Row>, most: number) {
  const first = await source.next();
  if (first.done) return null;
  let read = 1;
  async function* batches(): AsyncGenerator<readonly Row[]> {
    let batch: Row[] = [first.value as Row];
    while (read < most) {
      const next = await source.next();
      if (next.done) break;
      read += 1;
      batch.push(next.value);
      if (batch.length === BATCH_ROWS) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }
  return { batches: batches(), read: () => read };
}

async function write(
  path: string,
  format: Format,
  columns: Columns,
  batches: AsyncIterable<readonly Row[]>,
): Promise<MadeFile> {
  const file = await open(path, 'w');
  const sha256 = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of encode(format, columns, batches)) {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      sha256.update(buffer);
      bytes += buffer.length;
      await file.writeFile(buffer);
    }
  } finally {
    await file.close();
  }
  return { path, bytes, sha256: sha256.digest('hex') };
}

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new ExportFailure('spool_full', '', error);
    throw error;
  }
}
