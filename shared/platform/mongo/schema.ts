import { isDuplicateKey } from '../basics/errors.ts';
import { StartFault } from '../basics/start-fault.ts';
import { collection } from './collection.ts';
import type { Db } from './connect.ts';
import { only } from './fields.ts';
import { instanceRows } from './transaction-guard.ts';

export const schemaRows = collection('schema', {
  about: 'The version of the data.',
  fields: {
    _id: only<'schema'>(String),
    version: Number,
    changed_at: Date,
  },
});

/**
 * One step from the version before to `version`. Processes of the version before go on running meanwhile and afterwards,
 * and a step that was interrupted runs again from its start: so it adds, and finds out what it has already done.
 */
export interface Migration {
  version: number;
  /** For the log: what it changes. */
  what: string;
  run: (db: Db) => Promise<void>;
}

/** Data that this program cannot use. The message is one line that says what to do. */
export class SchemaError extends StartFault {
  override name = 'SchemaError';
}

/** The version of the data that a program with these migrations writes. Version 1 has none. */
export function versionAfter(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 1;
}

/**
 * Brings the data to the program's version, one migration after the other, and returns those that ran. An empty database
 * gets that version at once. Throws a SchemaError when the data is newer, or older than version 1; then nothing changed.
 */
export async function migrate(db: Db, migrations: readonly Migration[], nowMs: number): Promise<Migration[]> {
  const target = versionAfter(migrations);
  const found = await readVersion(db, target, nowMs);
  if (found > target) {
    throw new SchemaError(
      `The database has schema version ${found}, and this program knows ${target}: run the newer program, or restore the backup from before the upgrade (docs/operations.md).`,
    );
  }
  const due = migrations.filter(({ version }) => version > found);
  for (const { version, run } of due) {
    await run(db);
    await schemaRows({ db }).updateOne(
      // No number has to follow the one before: a version goes with the wing that declares it.
      { _id: 'schema', version: { $lt: version } },
      { $set: { version, changed_at: new Date(nowMs) } },
    );
  }
  return due;
}

/**
 * Throws a SchemaError when no release has prepared the database: without its unique indexes nothing would happen only
 * once, and what a process writes would be taken for data of a development version.
 */
export async function refuseUnprepared(db: Db): Promise<void> {
  const { database } = db;
  const { collectionName } = schemaRows;
  const there = await database.listCollections({ name: collectionName }, { nameOnly: true }).toArray();
  if (there.length > 0) return;
  throw new SchemaError(
    `The database "${database.databaseName}" is not prepared yet: run the release first, "node scripts/release.ts" (docs/operations.md).`,
  );
}

async function readVersion(db: Db, target: number, nowMs: number): Promise<number> {
  const row = await schemaRows({ db }).findOne({ _id: 'schema' });
  if (row) return row.version;
  await refuseUnversioned(db);
  try {
    await schemaRows({ db }).insertOne({ _id: 'schema', version: target, changed_at: new Date(nowMs) });
    return target;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return await readVersion(db, target, nowMs);
  }
}

async function refuseUnversioned(db: Db): Promise<void> {
  const { database } = db;
  const there = await database.listCollections({}, { nameOnly: true }).toArray();
  // A process that was started before the first release leaves its heartbeat, another release at this moment its version.
  const known = [instanceRows.collectionName, schemaRows.collectionName];
  const names = there.map(({ name }) => name).filter((name) => !known.includes(name));
  for (const name of names) {
    if ((await database.collection(name).findOne({}, { projection: { _id: 1 } })) === null) continue;
    throw new SchemaError(
      `The database "${database.databaseName}" was made by a development version before schema version 1, which cannot be upgraded: name another database in MONGODB_URL, or start scripts/up with another folder (--data .data-2).`,
    );
  }
}
