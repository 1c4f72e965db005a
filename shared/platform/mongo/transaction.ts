import { type ClientSession, mongo } from 'mongoose';
import { isDuplicateKey, isStoreError } from '../basics/errors.ts';
import { DeadlineError, within } from '../basics/within.ts';
import { type Db, DURABLE } from './connect.ts';
import { goAhead } from './go-ahead.ts';

/** All attempts at one transaction together; then the store counts as away (503) and nothing is kept. */
const TRANSACTION_DEADLINE_MS = 15_000;

export interface TransactionOptions {
  /**
   * `retry`: a duplicate key means that another process has written the same row at this moment, so `work` looks again, until
   * the deadline: others may write the row any number of times. Without it a duplicate key fails the transaction.
   */
  onDuplicateKey?: 'retry';
  /** How long all attempts together may take. Milliseconds; default 15 s. */
  deadlineMs?: number;
}

/** For work that reads much and that no request waits for. MongoDB ends a transaction after a minute. */
export const LONG_TRANSACTION: TransactionOptions = { deadlineMs: 55_000 };

/**
 * Runs `work` as one transaction: all of it or nothing. Write conflicts are tried again, so `work` runs from its
 * start each time and must not act on anything outside (`commitPlan` is for that). Throws a store error when it does not
 * get through in time, and then it never commits; an error that `isOutcomeUnknown` knows when the commit was sent and
 * its answer did not come.
 */
export async function inTransaction<T>(
  db: Db,
  work: (transaction: ClientSession) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const endsMs = performance.now() + (options.deadlineMs ?? TRANSACTION_DEADLINE_MS);
  for (;;) {
    try {
      return await runOnce(db, work, Math.ceil(endsMs - performance.now()));
    } catch (error) {
      const mayRetry = options.onDuplicateKey === 'retry' && performance.now() < endsMs;
      if (!mayRetry || !isDuplicateKey(error)) throw error;
    }
  }
}

/** Where a transaction is: a caller that gives it up while it works can be sure that it does not commit. */
interface Progress {
  isCommitting: boolean;
  isGivenUp: boolean;
  /** The driver session that it runs in, hex. */
  session: string | null;
}

// The driver's own `timeoutMS` has no effect on a transaction (docs/stores.md), so the deadline is ours.
async function runOnce<T>(
  db: Db,
  work: (transaction: ClientSession) => Promise<T>,
  deadlineMs: number,
): Promise<T> {
  const progress: Progress = { isCommitting: false, isGivenUp: false, session: null };
  try {
    return await within(deadlineMs, 'A transaction', commit(db, work, progress));
  } catch (error) {
    progress.isGivenUp = true;
    if (error instanceof DeadlineError) free(db, progress);
    throw progress.isCommitting && isStoreError(error) ? outcomeUnknown(error) : error;
  }
}

/** Frees the rows that a transaction has locked which was given up: by another connection, as its own may be dark. */
function free(db: Db, { session }: Progress): void {
  if (session !== null) endSessions(db, [session]).catch(() => undefined);
}

/** Ends driver sessions (hex ids) and the transactions that are open in them, which frees the rows that these locked. */
export async function endSessions(db: Db, sessions: readonly string[]): Promise<void> {
  if (sessions.length === 0) return;
  const killSessions = sessions.map((hex) => ({ id: new mongo.Binary(Buffer.from(hex, 'hex'), 4) }));
  await db.connection.getClient().db('admin').command({ killSessions });
}

function commit<T>(db: Db, work: (transaction: ClientSession) => Promise<T>, progress: Progress): Promise<T> {
  return db.connection.getClient().withSession(async (session) => {
    progress.session = session.id?.id.toString('hex') ?? null;
    await db.registerSession(progress.session ?? '');
    const attempt = async () => {
      progress.isCommitting = false;
      await goAhead(db, session);
      const result = await work(session).catch((error: unknown) => {
        throw asTransient(error);
      });
      if (progress.isGivenUp) throw new DeadlineError('The transaction was given up');
      progress.isCommitting = true;
      return result;
    };
    const options = { readConcern: { level: 'snapshot' as const }, writeConcern: DURABLE };
    return session.withTransaction(attempt, options);
  });
}

/** The error of a command whose session another process has ended while it ran (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml). */
const INTERRUPTED = 11_601;

/**
 * The error with the label that makes the transaction run again, where its session was ended under it (`endSessions`). MongoDB
 * labels the answers to later commands alone. One that was given up does not come to its commit.
 */
function asTransient(error: unknown): unknown {
  if (error instanceof mongo.MongoServerError && error.code === INTERRUPTED) error.addErrorLabel(TRANSIENT);
  return error;
}

const TRANSIENT = 'TransientTransactionError';
const UNKNOWN = 'UnknownTransactionCommitResult';

/** A commit whose answer did not come; one that the store has refused is told as it is. */
function outcomeUnknown(error: unknown): unknown {
  const isRefused = error instanceof mongo.MongoError && error.hasErrorLabel(TRANSIENT);
  if (isRefused) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new mongo.MongoServerError({
    message: `The answer to a commit did not come: ${message}`,
    errorLabels: [UNKNOWN],
  });
}
