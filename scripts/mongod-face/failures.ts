import type { Fields } from './wire.ts';

/** The numbers and names of MongoDB's errors (https://www.mongodb.com/docs/manual/reference/error-codes/). */
const NAMES = {
  2: 'BadValue',
  9: 'FailedToParse',
  16: 'InvalidLength',
  24: 'LockTimeout',
  40: 'ConflictingUpdateOperators',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  112: 'WriteConflict',
  117: 'ConflictingOperationInProgress',
  171: 'CannotIndexParallelArrays',
  189: 'PrimarySteppedDown',
  197: 'InvalidIndexSpecificationOption',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  263: 'OperationNotSupportedInTransaction',
  10107: 'NotWritablePrimary',
  10334: 'BSONObjectTooLarge',
  11602: 'InterruptedDueToReplStateChange',
  40415: 'IDLUnknownField',
} as const;
export type Code = keyof typeof NAMES;

/** A command that fails as a whole. */
export interface Failure {
  code: Code;
  message: string;
  labels?: readonly string[];
}

/** After these mongod ends a transaction, and a driver runs it again. */
export function isTransient(code: unknown): code is Code {
  return [24, 112, 189, 246, 251, 10107, 11602].includes(Number(code));
}

export const TRANSIENT = ['TransientTransactionError'];
export const RETRYABLE = ['RetryableWriteError'];

export const WRITE_CONFLICT: Failure = {
  code: 112,
  message:
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
  labels: TRANSIENT,
};

export const NO_SUCH_TRANSACTION: Failure = {
  code: 251,
  message: 'The transaction has been aborted.',
  labels: TRANSIENT,
};

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
