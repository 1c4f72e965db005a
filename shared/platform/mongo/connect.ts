import mongoose, { type Connection, mongo } from 'mongoose';
import { isStoreError } from '../basics/errors.ts';
import { StartFault } from '../basics/start-fault.ts';
import { hintAtAuthorities } from '../basics/trust-authorities.ts';

/** An open MongoDB connection. */
export interface Db {
  connection: Connection;
  /** The driver's database behind the connection. */
  database: mongo.Db;
  /** True of the embedded store of development (docs/stores.md), which finds rows in its own way (embedded-filters.ts). */
  isEmbedded: boolean;
  /** True of a MongoDB that is one replica set, which finds a row by its id alone the fastest. A router needs the shard key. */
  isOneSet: boolean;
  /** Tells other processes in which driver session (hex id) this one writes (transaction-guard.ts). Cheap to repeat. */
  registerSession(session: string): Promise<void>;
}

/** Durable writes are journaled on a majority before they are acknowledged. */
export const DURABLE = { w: 'majority', j: true } as const;

/** The answer of the router of a sharded cluster (https://www.mongodb.com/docs/manual/reference/command/hello/). */
const ROUTER = 'isdbgrid';

/**
 * Opens one connection. It fails fast (no buffering), drops `undefined` from the rows that are written, and never
 * creates an index by itself: `release` does. A server that hangs without closing its connections is noticed after 7 s
 * (heartbeat and connect timeout), as one that is gone. With `socketTimeoutMs` a single connection that has gone dark is
 * given up after as long; it must be above the longest command. Rejects, with words for the operator, when no primary answers
 * within 5 s, or one that cannot carry out transactions or bulk writes of several collections.
 */
export async function connectMongo(url: string, options: { socketTimeoutMs?: number } = {}): Promise<Db> {
  const connection = await open(url, options).catch((error: Error) => {
    // The driver's errors show all that it knows of each server, over dozens of lines.
    const reason = hintAtAuthorities(error.message);
    throw new StartFault(`MONGODB_URL: no primary of a replica set can be reached there: ${reason}`);
  });
  // An open connection always has one.
  const database = connection.db as mongo.Db;
  const [server, build] = await Promise.all([
    database.command({ hello: 1 }),
    database.command({ buildInfo: 1 }),
  ]);
  const isEmbedded = build.secantusVersion !== undefined;
  if (!isEmbedded && Number.parseInt(build.version, 10) < OLDEST)
    throw new StartFault(`MONGODB_URL: that is MongoDB ${build.version}. ${NEEDED}`);
  if (server.msg !== ROUTER && server.setName === undefined)
    throw new StartFault(
      'MONGODB_URL: that MongoDB is in no replica set, so it has no transactions: start it with --replSet, and run rs.initiate() once.',
    );
  await proveWrites(database);
  return {
    connection,
    database,
    isEmbedded,
    isOneSet: !isEmbedded && server.msg !== ROUTER,
    registerSession: async () => undefined,
  };
}

/** `client.bulkWrite`, by which every plan is written, came with MongoDB 8. */
const OLDEST = 8;
const NEEDED = 'It must be 8.0.4 or newer, with featureCompatibilityVersion 8.0 (docs/stores.md).';

/**
 * Throws a StartFault when the store refuses the command by which every plan is written: by its version, by an old
 * featureCompatibilityVersion, or for want of a right. It changes nothing, and no majority has to answer.
 */
async function proveWrites(database: mongo.Db): Promise<void> {
  // Only this collection may exist before the first release, and the embedded store makes the one that a command names.
  const nothing = { namespace: `${database.databaseName}.instances`, filter: { heartbeat: -1 } };
  const models: mongo.AnyClientBulkWriteModel<mongo.Document>[] = [
    { name: 'updateOne', ...nothing, update: { $set: { heartbeat: 0 } } },
    { name: 'deleteOne', ...nothing },
  ];
  try {
    await database.client.bulkWrite(models, { writeConcern: { w: 1 } });
  } catch (error) {
    if (isStoreError(error)) throw error;
    const [refused] = error instanceof mongo.MongoClientBulkWriteError ? error.writeErrors.values() : [];
    const { message } = refused ?? ((error as Error).cause as Error | undefined) ?? (error as Error);
    throw new StartFault(
      `MONGODB_URL: that MongoDB refuses bulkWrite: ${message}. ${NEEDED} Its user needs readWrite on "${database.databaseName}".`,
    );
  }
}

async function open(url: string, options: { socketTimeoutMs?: number }): Promise<Connection> {
  const connection = mongoose.createConnection(url, {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    ignoreUndefined: true,
    ...(/[?&]maxPoolSize=/i.test(url) ? {} : { maxPoolSize: 20 }),
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    heartbeatFrequencyMS: 2_000,
    ...(options.socketTimeoutMs === undefined ? {} : { socketTimeoutMS: options.socketTimeoutMs }),
    writeConcern: DURABLE,
    // Both win over the URL: a transaction reads at the primary, and no read may see what an election takes back.
    readPreference: 'primary',
    readConcernLevel: 'majority',
  });
  // A topology that comes and goes is reported by readiness and by the failing operations.
  connection.on('error', () => undefined);
  return await connection.asPromise();
}
