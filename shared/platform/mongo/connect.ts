import mongoose, { type Connection, type mongo } from 'mongoose';

/** An open MongoDB connection. */
export interface Db {
  connection: Connection;
  /** Whether it goes to the router of a sharded cluster (`mongos`). */
  isSharded: boolean;
  /** Tells other processes in which driver session (hex id) this one writes (transaction-guard.ts). Cheap to repeat. */
  registerSession(session: string): Promise<void>;
}

/** Durable writes are journaled on a majority before they are acknowledged. */
export const DURABLE = { w: 'majority', j: true } as const;

/** What a router says of itself (https://www.mongodb.com/docs/manual/reference/command/hello/). */
const ROUTER = 'isdbgrid';

/**
 * Opens one connection. It fails fast (no buffering), drops `undefined` from the rows that are written, and never
 * creates an index by itself: `release` does. A server that hangs without closing its connections is noticed after 7 s
 * (heartbeat and connect timeout), as one that is gone. With `socketTimeoutMs` a single connection that has gone dark is
 * given up after as long; it must be above the longest command. Rejects when no server answers within 5 s.
 */
export async function connectMongo(url: string, options: { socketTimeoutMs?: number } = {}): Promise<Db> {
  const connection = mongoose.createConnection(url, {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    ignoreUndefined: true,
    maxPoolSize: 20,
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    heartbeatFrequencyMS: 2_000,
    ...(options.socketTimeoutMs === undefined ? {} : { socketTimeoutMS: options.socketTimeoutMs }),
    writeConcern: DURABLE,
    readConcern: { level: 'majority' },
  });
  // A topology that comes and goes is reported by readiness and by the failing operations.
  connection.on('error', () => undefined);
  await connection.asPromise();
  const server = await connection.db?.command({ hello: 1 });
  return { connection, isSharded: server?.msg === ROUTER, registerSession: async () => undefined };
}

/** The driver's database behind a connection. Throws when the connection was never open. */
export function databaseOf(db: Db): mongo.Db {
  if (!db.connection.db) throw new Error('The MongoDB connection is not open');
  return db.connection.db;
}
