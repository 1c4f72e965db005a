import { readConfig } from '../shared/config.ts';
import { connectMongo, createIndexes } from '../shared/mongo.ts';

/** The release step: collections and indexes, before a new version serves. Safe to repeat. */
const db = await connectMongo(readConfig(process.env).mongodbUrl);
await createIndexes(db);
await db.connection.close();
