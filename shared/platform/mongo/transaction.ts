import type { ClientSession } from 'mongoose';
import { isDuplicateKey } from '../basics/errors.ts';
import { type Db, DURABLE } from './connect.ts';

/** All attempts at one transaction together; then the store counts as away (503) and nothing was kept. */
const TRANSACTION_TIMEOUT_MS = 15_000;

const afterCommits = new WeakMap<ClientSession, (() => void)[]>();

/**
 * Runs `act` once when the transaction has committed, and never when it has not: for wake-ups, which may be lost.
 * Throws for a session that `inTransaction` did not open, so that nothing is forgotten silently.
 */
export function afterCommit(transaction: ClientSession, act: () => void): void {
  const acts = afterCommits.get(transaction);
  if (!acts) throw new Error('afterCommit needs a transaction of inTransaction');
  acts.push(act);
}

export interface TransactionOptions {
  /**
   * `retry`: a duplicate key means that another process has written the same row at this moment, so `work` looks again
   * (five attempts). Without it a duplicate key fails the transaction.
   */
  onDuplicateKey?: 'retry';
}

const DUPLICATE_KEY_ATTEMPTS = 5;

/**
 * Runs `work` as one transaction: all of it or nothing. Write conflicts are tried again, so `work` runs from its
 * start each time and must not act on anything outside (`commitPlan` is for that).
 */
export async function inTransaction<T>(
  db: Db,
  work: (transaction: ClientSession) => Promise<T>,
  { onDuplicateKey }: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(db, work);
    } catch (error) {
      const mayRetry = onDuplicateKey === 'retry' && attempt < DUPLICATE_KEY_ATTEMPTS;
      if (!mayRetry || !isDuplicateKey(error)) throw error;
    }
  }
}

async function runOnce<T>(db: Db, work: (transaction: ClientSession) => Promise<T>): Promise<T> {
  return db.connection.getClient().withSession(async (session) => {
    await register(db, session);
    const attempt = () => {
      afterCommits.set(session, []);
      return work(session);
    };
    const result = await session.withTransaction(attempt, {
      readConcern: { level: 'snapshot' },
      writeConcern: DURABLE,
      timeoutMS: TRANSACTION_TIMEOUT_MS,
    });
    for (const act of afterCommits.get(session) ?? []) act();
    return result;
  });
}

const registered = new WeakMap<Db, Set<string>>();

/** The driver has few sessions and uses them again, so that this is rarely a write. */
async function register(db: Db, session: ClientSession): Promise<void> {
  const known = registered.get(db) ?? new Set<string>();
  registered.set(db, known);
  const id = session.id?.id.toString('hex') ?? '';
  if (known.has(id)) return;
  await db.registerSession(id);
  known.add(id);
}
