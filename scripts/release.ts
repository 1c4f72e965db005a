import { readConfig } from '../shared/platform/basics/config.ts';
import { connectMongo } from '../shared/platform/mongo/connect.ts';
import { createIndexes } from '../shared/tables/collections.ts';

/** The release step: collections and indexes, before a new version serves. Safe to repeat. */
const db = await connectMongo(readConfig(process.env).mongodbUrl);
await createIndexes(db);
await db.connection.close();
