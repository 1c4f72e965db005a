import { systemClock } from '../shared/platform/basics/clock.ts';
import { readConfig } from '../shared/platform/basics/config.ts';
import { startOrExit } from '../shared/platform/basics/start-fault.ts';
import { trustAuthorities } from '../shared/platform/basics/trust-authorities.ts';
import { connectMongo } from '../shared/platform/mongo/connect.ts';
import { MIGRATIONS } from '../shared/tables/migrations.ts';
import { release } from '../shared/tables/release.ts';

/** The release step: migrations, collections and indexes, before a new version serves. Safe to repeat. */
await startOrExit('release', async () => {
  const config = readConfig(process.env);
  trustAuthorities(config);
  const db = await connectMongo(config.mongodbUrl);
  try {
    const ran = await release(db, MIGRATIONS, systemClock.now());
    for (const { version, what } of ran)
      console.log(`release: migrated to schema version ${version} (${what})`);
  } finally {
    await db.connection.close();
  }
});
