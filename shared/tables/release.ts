import type { Db } from '../platform/mongo/connect.ts';
import { type Migration, migrate } from '../platform/mongo/schema.ts';
import { createIndexes } from './collections.ts';

/**
 * Prepares the database for this version of the program: migrations first, because an index may need what they make, then
 * collections and indexes. Returns the migrations that ran. Safe to repeat, and while the version before runs. Throws as
 * `migrate` does.
 */
export async function release(db: Db, migrations: readonly Migration[], nowMs: number): Promise<Migration[]> {
  const ran = await migrate(db, migrations, nowMs);
  await createIndexes(db);
  return ran;
}
