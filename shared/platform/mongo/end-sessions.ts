import { mongo } from 'mongoose';
import type { Db } from './connect.ts';

/** Ends driver sessions (hex ids), and with them the transactions that are open in them: what they locked is free. */
export async function endSessions(db: Db, sessions: readonly string[]): Promise<void> {
  if (sessions.length === 0) return;
  const killSessions = sessions.map((hex) => ({ id: new mongo.Binary(Buffer.from(hex, 'hex'), 4) }));
  await db.connection.getClient().db('admin').command({ killSessions });
}
