import type { Fields, Statement } from './wire.ts';

/**
 * The numbers and names of MongoDB's errors, as in https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml. The
 * rule that gives one has the link to the page that says when.
 */
const NAMES = {
  2: 'BadValue',
  16: 'InvalidLength',
  24: 'LockTimeout',
  40: 'ConflictingUpdateOperators',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  117: 'ConflictingOperationInProgress',
  171: 'CannotIndexParallelArrays',
  189: 'PrimarySteppedDown',
  197: 'InvalidIndexSpecificationOption',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  263: 'OperationNotSupportedInTransaction',
  10107: 'NotWritablePrimary',
  10334: 'BSONObjectTooLarge',
  11601: 'Interrupted',
  11602: 'InterruptedDueToReplStateChange',
  40415: 'IDLUnknownField',
  51024: 'Location51024',
} as const;
export type Code = keyof typeof NAMES;

/** A command that fails as a whole. */
export interface Failure {
  code: Code;
  message: string;
  labels?: readonly string[];
}

/**
 * After these mongod ends a transaction, and a driver runs it again: `isTransientTransactionError` in
 * https://github.com/mongodb/mongo/blob/master/src/mongo/db/error_labels.cpp.
 */
export function isTransient(code: unknown): code is Code {
  return [24, 112, 189, 246, 251, 10107, 11602].includes(Number(code));
}

const TRANSIENT = ['TransientTransactionError'];
const RETRYABLE = ['RetryableWriteError'];

/**
 * The labels of an error that every command may meet, such as an election's. A read outside a transaction has none, and neither has
 * a write that a driver may not repeat (no `txnNumber`): the same file.
 */
export function labelsOf({ name, body }: Statement): Pick<Failure, 'labels'> {
  const isEnd = name === 'commitTransaction' || name === 'abortTransaction';
  if (body.autocommit === false && !isEnd) return { labels: TRANSIENT };
  return body.txnNumber === undefined ? {} : { labels: RETRYABLE };
}

/** https://www.mongodb.com/docs/manual/core/transactions-production-consideration/#in-progress-transactions-and-write-conflicts */
export const WRITE_CONFLICT: Failure = {
  code: 112,
  message:
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
  labels: TRANSIENT,
};

/** https://www.mongodb.com/docs/manual/core/transactions-in-applications/#transient-transaction-error */
export const NO_SUCH_TRANSACTION: Failure = {
  code: 251,
  message: 'The transaction has been aborted.',
  labels: TRANSIENT,
};

/** A command whose session was ended (https://www.mongodb.com/docs/manual/reference/command/killSessions/). It has no label. */
export const INTERRUPTED: Failure = { code: 11601, message: 'operation was interrupted' };

/** The answer by which mongod reports a failure. */
export function answerOf({ code, message, labels }: Failure): Fields {
  return {
    ok: 0,
    errmsg: message,
    code,
    codeName: NAMES[code],
    ...(labels ? { errorLabels: labels } : {}),
  };
}
