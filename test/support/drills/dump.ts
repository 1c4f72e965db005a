import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mongo } from 'mongoose';
import type { Db } from '../../../shared/platform/mongo/connect.ts';
import { instanceRows } from '../../../shared/platform/mongo/transaction-guard.ts';

const { EJSON } = mongo.BSON;

/** Writes every collection into a folder, one row per line, as `mongoexport` would. Heartbeats are no data. */
export async function dumpDatabase(db: Db, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { database } = db;
  for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
    if (name === instanceRows.collectionName) continue;
    const rows = await database.collection(name).find().sort({ _id: 1 }).toArray();
    const lines = rows.map((row) => EJSON.stringify(row, { relaxed: false }));
    writeFileSync(join(folder, `${name}.jsonl`), lines.join('\n'));
  }
}

/** The rows of a dump by collection. */
export function readDump(folder: string): Map<string, mongo.Document[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
  const rowsOf = (file: string) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
  return new Map(
    files.map((file) => [
      basename(file, '.jsonl'),
      rowsOf(file).map((line) => EJSON.parse(line, { relaxed: false }) as mongo.Document),
    ]),
  );
}

/** Puts a dump into a database that `release` has prepared and nobody has written to. */
export async function restoreDump(db: Db, folder: string): Promise<void> {
  for (const [name, rows] of readDump(folder)) {
    if (rows.length > 0) await db.database.collection(name).insertMany(rows);
  }
}
