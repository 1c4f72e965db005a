import type { mongo } from 'mongoose';
import { isTransient } from './failures.ts';
import type { Command, Fields } from './wire.ts';
import { listOf } from './writes.ts';

/** A transaction that a driver has begun and that has not ended. */
export interface Transaction {
  session: string;
  /** The session and the number as the driver sent them. */
  lsid: unknown;
  txnNumber: unknown;
  rows: Set<string>;
  /** The databases of these rows, also once they are free. */
  databases: Set<string>;
  /** How many commands have no answer yet. */
  running: number;
  isAborted: boolean;
  /** True when its session was ended while a command of it ran: that one is interrupted. */
  isInterrupted: boolean;
  begunMs: number;
}

/** The newest transaction of each session, and who holds which row. */
export interface Transactions {
  bySession: Map<string, Transaction>;
  holders: Map<string, Transaction>;
  /** Milliseconds that only grow. */
  now: () => number;
}

/** `transactionLifetimeLimitSeconds`: https://www.mongodb.com/docs/manual/core/transactions-production-consideration/#runtime-limit */
const LIFETIME_MS = 60_000;

export function noTransactions(now: () => number): Transactions {
  return { bySession: new Map(), holders: new Map(), now };
}

/** The transaction that a command belongs to; null outside one. A higher number ends the one before it. */
export function transactionOf(all: Transactions, { body }: Command): Transaction | null {
  if (body.autocommit !== false) return null;
  const session = sessionOf(body.lsid as Fields);
  const { lsid, txnNumber } = body;
  const known = all.bySession.get(session);
  if (known && String(known.txnNumber) === String(txnNumber)) return known;
  if (known) endTransaction(all, known);
  const begun: Transaction = {
    session,
    lsid,
    txnNumber,
    rows: new Set(),
    databases: new Set(),
    running: 0,
    isAborted: false,
    isInterrupted: false,
    begunMs: all.now(),
  };
  all.bySession.set(session, begun);
  return begun;
}

/** Takes rows for a transaction. False, and nothing is taken, when another open one holds any of them. */
export function takeRows(all: Transactions, own: Transaction, rows: readonly string[]): boolean {
  if (rows.some((row) => (all.holders.get(row) ?? own) !== own)) return false;
  for (const row of rows) {
    own.rows.add(row);
    own.databases.add(row.slice(0, row.indexOf('.')));
    all.holders.set(row, own);
  }
  return true;
}

/** True while a transaction has written to a database and may go on to write. */
export function isInUse(all: Transactions, database: string): boolean {
  return [...all.bySession.values()].some(
    (own) => own.databases.has(database) && (!own.isAborted || own.running > 0),
  );
}

/** The transactions that have lived too long. mongod ends them by itself. */
export function expiredOf(all: Transactions): Transaction[] {
  const begunMs = all.now() - LIFETIME_MS;
  return [...all.bySession.values()].filter((own) => !own.isAborted && own.begunMs <= begunMs);
}

/** From now on each command of the transaction fails; its rows are free. */
export function abortTransaction(all: Transactions, transaction: Transaction): void {
  transaction.isAborted = true;
  freeRows(all, transaction);
}

/** Forgets all of them: those of a store that was killed are gone. */
export function forgetAll(all: Transactions): void {
  for (const transaction of all.bySession.values()) abortTransaction(all, transaction);
}

/** Forgets a transaction that was committed or given up. */
export function endTransaction(all: Transactions, transaction: Transaction): void {
  freeRows(all, transaction);
  if (all.bySession.get(transaction.session) === transaction) all.bySession.delete(transaction.session);
}

function freeRows(all: Transactions, transaction: Transaction): void {
  for (const row of transaction.rows) if (all.holders.get(row) === transaction) all.holders.delete(row);
  transaction.rows.clear();
}

/** Frees the rows of the sessions that `killSessions` or `endSessions` names. */
export function endSessions(all: Transactions, sessions: readonly Fields[]): void {
  for (const session of sessions) {
    const transaction = all.bySession.get(sessionOf(session));
    if (!transaction) continue;
    abortTransaction(all, transaction);
    transaction.isInterrupted = transaction.running > 0;
  }
}

function sessionOf(session: Fields): string {
  return (session.id as mongo.Binary).toString('hex');
}

/** The code of the error in an answer, also of the first write that failed; null of success. */
export function errorIn(
  { name }: Pick<Command, 'name'>,
  answer: Fields,
): { code: number; message: string } | null {
  // The batch of a read holds rows, which may have a `code` of their own.
  const { firstBatch } = (name === 'bulkWrite' ? (answer.cursor ?? {}) : {}) as Fields;
  const failed = [answer, ...listOf(answer.writeErrors), ...listOf(firstBatch)].filter(
    (part) => part.code !== undefined && (part.ok ?? 0) === 0,
  );
  const [error] = [...failed.filter(({ code }) => isTransient(code)), ...failed];
  return error ? { code: Number(error.code), message: String(error.errmsg) } : null;
}
