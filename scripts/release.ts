import { readConfig } from '../shared/platform/basics/config.ts';
import { connectMongo, createIndexes } from '../shared/platform/mongo/connect.ts';

/** The release step: collections and indexes, before a new version serves. Safe to repeat. */
const db = await connectMongo(readConfig(process.env).mongodbUrl);
await createIndexes(db);
await db.connection.close();
