import { randomUUID } from 'node:crypto';
import { isStoreError } from '../basics/errors.ts';
import { every } from '../basics/every.ts';
import type { Log } from '../basics/log.ts';
import { within } from '../basics/within.ts';
import { collection, type RowOf } from './collection.ts';
import type { Db } from './connect.ts';
import { endSessions } from './transaction.ts';

export const instanceRows = collection('instances', {
  about: 'A running process and its transactions, so that others can end those of a dead one.',
  fields: {
    _id: String,
    /** Grows while the process lives. */
    heartbeat: Number,
    /** Driver session ids, hex. */
    sessions: [String],
  },
});

/** One process that runs transactions, and the driver sessions that it runs them in. */
interface Instance extends RowOf<typeof instanceRows> {}

export interface TransactionGuard {
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
/** Unchanged for so long, by the observer's own monotonic clock: the process is dead or as good as dead. */
const DEAD_AFTER_MS = 4_000;
/** A tick that takes longer is given up, so that a dark connection does not stop the heartbeat. */
const TICK_DEADLINE_MS = 3_000;
/** No transaction lasts so long after its session was taken up: then there is none, and the process may rest. */
const REST_AFTER_MS = 90_000;
/** The driver uses its sessions again; one that it has not used for so long is gone from its pool, or comes anew. */
const SESSION_KEPT_MS = 600_000;
/** A heartbeat is no record: it need not survive a crash. */
const FLEETING = { writeConcern: { w: 1, j: false } } as const;
/** Heartbeats are seen where they are written: while a majority is behind, nobody takes the others for dead. */
const NEWEST = { readConcern: { level: 'local' } } as const;

interface Guard {
  id: string;
  /** The heartbeat that is under way, or the last one. */
  beating: Promise<unknown>;
  db: Db;
  log: Log;
  deadAfterMs: number;
  restAfterMs: number;
  /** When a session was used last, by the monotonic clock. */
  usedMs: number;
  /** While the process rests: that its row is gone. */
  resting: Promise<unknown> | null;
  /** When each driver session was used last, by the monotonic clock. */
  sessions: Map<string, number>;
  /** Since when (monotonic) another process has had the heartbeat that it has. */
  seen: Map<string, { heartbeat: number; sinceMs: number }>;
}

/**
 * Ends the transactions of processes that were killed. MongoDB keeps an abandoned transaction, and with it every row
 * that it wrote, for a minute; whoever would write these rows waits. So each process says that it lives and in which
 * sessions it writes, and the others end the sessions of one that has fallen silent. A process that was only stopped
 * for a while finds its transaction gone, runs it again, and is guarded as before from its next heartbeat on. One that
 * writes nothing has nothing to guard, and waits for nobody: it rests until its next transaction.
 */
export async function startTransactionGuard(
  db: Db,
  log: Log,
  deadAfterMs = DEAD_AFTER_MS,
  restAfterMs = REST_AFTER_MS,
): Promise<TransactionGuard> {
  const guard: Guard = {
    id: randomUUID(),
    db,
    log,
    deadAfterMs,
    restAfterMs,
    usedMs: performance.now(),
    resting: null,
    beating: Promise.resolve(),
    sessions: new Map(),
    seen: new Map(),
  };
  const instances = instanceRows({ db });
  await instances.insertOne({ _id: guard.id, heartbeat: 0, sessions: [] });
  db.registerSession = (session) => register(guard, session);
  const stopTicking = every(TICK_MS, async () => {
    await within(TICK_DEADLINE_MS, 'A heartbeat', tick(guard)).catch((error: unknown) => {
      log.debug({ err: error }, 'a heartbeat was missed');
      // The others may have missed theirs too, such as during an election: they have the whole time anew.
      guard.seen.clear();
    });
  });
  return {
    stop: async () => {
      await stopTicking();
      const leaving = instances.deleteOne({ _id: guard.id });
      await within(TICK_DEADLINE_MS, 'Leaving', leaving).catch(() => undefined);
    },
  };
}

/** A session is written down before its first transaction; the driver has few, so that this is rarely a write. */
async function register(guard: Guard, session: string): Promise<void> {
  const { id, db, sessions } = guard;
  const isKnown = sessions.has(session);
  guard.usedMs = performance.now();
  sessions.set(session, guard.usedMs);
  if (guard.resting !== null) return wake(guard, guard.resting);
  if (isKnown) return;
  // A heartbeat that is under way has the list of before, and may be written last.
  await guard.beating;
  await instanceRows({ db }).updateOne({ _id: id }, { $addToSet: { sessions: session } }, FLEETING);
}

/** All that begin while it wakes wait for its heartbeat. */
async function wake(guard: Guard, resting: Promise<unknown>): Promise<void> {
  await resting;
  await beat(guard);
  if (guard.resting === resting) guard.resting = null;
}

async function rest(guard: Guard): Promise<void> {
  guard.resting ??= instanceRows(guard)
    .deleteOne({ _id: guard.id })
    .catch(() => undefined);
  guard.seen.clear();
  await guard.resting;
}

async function tick(guard: Guard): Promise<void> {
  if (performance.now() - guard.usedMs > guard.restAfterMs) return rest(guard);
  await beat(guard);
  const { db, seen, id: ownId, deadAfterMs } = guard;
  const nowMs = performance.now();
  for (const instance of await instanceRows({ db }).find({}, NEWEST).toArray()) {
    const last = seen.get(instance._id);
    if (last?.heartbeat !== instance.heartbeat)
      seen.set(instance._id, { heartbeat: instance.heartbeat, sinceMs: nowMs });
    else if (nowMs - last.sinceMs > deadAfterMs && instance._id !== ownId) await reap(guard, instance);
  }
}

/** Every heartbeat writes the whole list, so that a row that others have reaped comes back as it was. */
async function beat(guard: Guard): Promise<void> {
  const { id, db, sessions } = guard;
  const forgetBeforeMs = performance.now() - SESSION_KEPT_MS;
  for (const [session, usedMs] of sessions) if (usedMs < forgetBeforeMs) sessions.delete(session);
  const update = { $inc: { heartbeat: 1 }, $set: { sessions: [...sessions.keys()] } };
  const writing = instanceRows({ db }).updateOne({ _id: id }, update, { upsert: true, ...FLEETING });
  guard.beating = writing.catch(() => undefined);
  await writing;
}

async function reap({ db, log, seen }: Guard, instance: Instance): Promise<void> {
  const sessions = instance.sessions ?? [];
  const fields = { instance: instance._id, sessions: sessions.length };
  log.warn(fields, 'a process fell silent; its transactions are ended');
  await endSessions(db, sessions).catch((error: unknown) => {
    if (isStoreError(error)) throw error;
    log.warn({ ...fields, err: error }, 'MongoDB refuses killSessions: it ends them itself, after a minute');
  });
  await instanceRows({ db }).deleteOne({ _id: instance._id });
  seen.delete(instance._id);
}
