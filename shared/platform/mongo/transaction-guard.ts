import { randomUUID } from 'node:crypto';
import { mongo } from 'mongoose';
import type { Log } from '../basics/log.ts';
import { collection } from './collection.ts';
import type { Db } from './connect.ts';

/** One process that runs transactions, and the driver sessions that it runs them in. */
interface Instance {
  _id: string;
  /** Grows while the process lives. */
  beat: number;
  /** Driver session ids, hex. */
  sessions: string[];
}

export const instanceRows = collection<Instance>('instances');

export interface TransactionGuard {
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
/** Unchanged for so long, by the observer's own monotonic clock: the process is dead or as good as dead. */
const DEAD_AFTER_MS = 4_000;
/** A heartbeat is no record: it need not survive a crash. */
const FLEETING = { writeConcern: { w: 1, j: false } } as const;

/**
 * Ends the transactions of processes that were killed. MongoDB keeps an abandoned transaction, and with it every row
 * that it wrote, for a minute; whoever would write these rows waits. So each process says that it lives and in which
 * sessions it writes, and the others end the sessions of one that has fallen silent. A process that was only stopped
 * for a while finds its transaction gone and runs it again.
 */
export async function startTransactionGuard(
  db: Db,
  log: Log,
  deadAfterMs = DEAD_AFTER_MS,
): Promise<TransactionGuard> {
  const id = randomUUID();
  const instances = instanceRows({ db });
  await instances.insertOne({ _id: id, beat: 0, sessions: [] });
  db.registerSession = async (session) => {
    await instances.updateOne({ _id: id }, { $push: { sessions: session } }, FLEETING);
  };
  const seen = new Map<string, { beat: number; sinceMs: number }>();
  let ticking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    ticking = ticking.then(() => tick(db, id, seen, deadAfterMs, log)).catch(() => undefined);
  }, TICK_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await ticking;
      await instances.deleteOne({ _id: id }).catch(() => undefined);
    },
  };
}

async function tick(
  db: Db,
  ownId: string,
  seen: Map<string, { beat: number; sinceMs: number }>,
  deadAfterMs: number,
  log: Log,
): Promise<void> {
  await instanceRows({ db }).updateOne({ _id: ownId }, { $inc: { beat: 1 } }, { upsert: true, ...FLEETING });
  const nowMs = performance.now();
  for (const instance of await instanceRows({ db }).find().toArray()) {
    const last = seen.get(instance._id);
    if (last?.beat !== instance.beat) seen.set(instance._id, { beat: instance.beat, sinceMs: nowMs });
    else if (nowMs - last.sinceMs > deadAfterMs && instance._id !== ownId) await bury(db, instance, log);
  }
}

async function bury(db: Db, instance: Instance, log: Log): Promise<void> {
  const sessions = (instance.sessions ?? []).map((hex) => ({
    id: new mongo.Binary(Buffer.from(hex, 'hex'), 4),
  }));
  log.warn(
    { instance: instance._id, sessions: sessions.length },
    'a process fell silent; its transactions are ended',
  );
  if (sessions.length > 0) await db.connection.getClient().db('admin').command({ killSessions: sessions });
  await instanceRows({ db }).deleteOne({ _id: instance._id });
}
