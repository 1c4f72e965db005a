/**
 * Every error that a caller can meet: its stable code, HTTP status and title. The table is one, so that a code means
 * the same on every route; `api/basics/problem.ts` turns an error into RFC 9457 problem+json.
 */
export const ERRORS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  malformed_json: { status: 400, title: 'The body cannot be read' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this query' },
  invalid_grant: { status: 400, title: 'The code is not valid' },
  authorization_pending: { status: 400, title: 'The user code has not been approved yet' },
  slow_down: { status: 400, title: 'The device polls too often' },
  access_denied: { status: 400, title: 'The device cannot be linked' },
  unsupported_grant_type: { status: 400, title: 'The grant type is not supported' },
  expired_token: { status: 400, title: 'The code has expired' },
  invalid_signature: { status: 400, title: 'The signature is missing, wrong or too old' },
  unauthorized: { status: 401, title: 'The credential is missing or not valid' },
  insufficient_credits: { status: 402, title: 'There are no credits left' },
  missing_scope: { status: 403, title: 'The credential does not allow this' },
  own_request: { status: 403, title: 'Nobody answers a request of their own' },
  budget_refused: { status: 403, title: 'A budget refuses the call' },
  cross_site: { status: 403, title: 'The request came from another site' },
  not_a_member: { status: 403, title: 'The person belongs to no organization here' },
  plan_required: { status: 403, title: "The organization's plan does not include this" },
  not_found: { status: 404, title: 'There is no such object' },
  method_not_allowed: { status: 405, title: 'The method is not supported on this path' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  preview_stale: { status: 409, title: 'The preview no longer holds' },
  revoke_made_needed: {
    status: 409,
    title: 'The person made things that go on: decide whether they end too',
  },
  too_many_keys: { status: 409, title: 'There are as many API keys as there may be' },
  too_many_devices: { status: 409, title: 'The account has as many devices as it may have' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The type or encoding of the body is not supported' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  too_many_requests: { status: 429, title: 'There were too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something failed on our side' },
  not_ready: { status: 503, title: 'This process cannot serve now' },
  issuer_unavailable: { status: 503, title: 'The identity provider cannot be reached' },
  payments_unavailable: { status: 503, title: 'Stripe cannot be reached; nothing was charged' },
  store_unavailable: { status: 503, title: 'A store cannot be reached; nothing was written' },
  signing_unavailable: { status: 503, title: 'Receipts cannot be signed now; nothing was spent' },
  rebuilding: {
    status: 503,
    title: 'Redis is being checked against the record; nothing was written',
  },
  backpressure: { status: 503, title: 'The ledger is too far behind; nothing was written' },
  overloaded: { status: 503, title: 'The service is overloaded; try again later' },
  outcome_unknown: { status: 504, title: 'The answer was not ready in time; the outcome is not known' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** A failure that the caller can understand. `extra` becomes members of the problem document, `headers` go with it: no secrets. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    detail: string,
    extra: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(detail);
    this.name = 'DomainError';
    this.code = code;
    this.extra = extra;
    this.headers = headers;
  }
}

/** The refusal of one field of a body, by its JSON pointer. */
export function invalid(message: string, pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', message, { errors: [{ pointer, detail }] });
}

export function isCode(error: unknown, code: ErrorCode): error is DomainError {
  return error instanceof DomainError && error.code === code;
}

/**
 * Classes of the drivers' errors by which a store cannot be reached or does not answer, each with all that derive from it.
 * They are known by the names of their classes, so that this file imports no driver. The `name` of an error says less: the
 * driver gives a new one to each class that it derives.
 */
const STORE_ERROR_CLASSES = new Set([
  'MongoNetworkError',
  'MongoSystemError',
  'MongoOperationTimeoutError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoServerClosedError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
  'MongoStalePrimaryError',
  'PoolClosedError',
  'WaitQueueTimeoutError',
  'MongooseServerSelectionError',
  'RedisError',
  'DeadlineError',
]);

/**
 * Codes by which MongoDB refuses a command because of its own state: no primary, a step-down, a shutdown, no room on the disk
 * (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml). A read gets them without a label.
 */
const MONGO_REFUSALS = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  18, // AuthenticationFailed
  43, // CursorNotFound: the server that had it is gone
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  14_031, // OutOfDiskSpace
]);

const STORE_ERROR_LABELS = [
  'TransientTransactionError',
  'RetryableWriteError',
  'UnknownTransactionCommitResult',
  'SystemOverloadedError',
];

/**
 * Returns true when a commit was sent and its answer never came. The change was made or it was not, so a caller may not
 * be told that nothing was written.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const labelled = error as { hasErrorLabel?: (label: string) => boolean };
  return labelled.hasErrorLabel?.('UnknownTransactionCommitResult') === true;
}

/**
 * The rest of a change of which something has been written: a store that fails now may not be reported as one that has
 * written nothing. Throws `outcome_unknown` with `detail` then, and every other error as it is.
 */
export async function orUnknown<Result>(rest: Promise<Result>, detail: string): Promise<Result> {
  return rest.catch((error: unknown) => {
    throw isStoreError(error) ? new DomainError('outcome_unknown', detail) : error;
  });
}

/**
 * Answers by which Redis refuses a command because of its own state: memory or disk are full, it is a replica, it is loading,
 * too few replicas follow, it is being failed over, or it takes no more clients or not this password. The command had no effect.
 */
const REDIS_REFUSALS =
  /^(OOM|MISCONF|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|BUSY|UNBLOCKED|NOAUTH|WRONGPASS|ERR max number of clients) /;

/** Errors of sockets and of ioredis that have no class of their own. */
const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN)$/;
const UNREACHABLE_TEXT =
  /ECONNREFUSED|ECONNRESET|ETIMEDOUT|enableOfflineQueue|Connection is closed|Command timed out|Socket timeout|None of startup nodes|Cluster redirections|No master node|is disconnect(ed|ing)/;

/** True of an error that says that a store is unreachable, silent or cannot serve; see also `isOutcomeUnknown`. */
export function isStoreError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const classes = classesOf(error);
  if (classes.includes('ReplyError')) return REDIS_REFUSALS.test(error.message);
  if (classes.some((name) => STORE_ERROR_CLASSES.has(name))) return true;
  if (classes.includes('MongoError')) return isMongoRefusal(error);
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && UNREACHABLE.test(code)) || UNREACHABLE_TEXT.test(error.message);
}

/** The names of an error's class and of those that it derives from. */
function classesOf(error: Error): string[] {
  const names: string[] = [];
  for (let proto = Object.getPrototypeOf(error); proto !== null; proto = Object.getPrototypeOf(proto))
    names.push(proto.constructor.name);
  return names;
}

/** A bulk write has the server's answer as its cause. */
function isMongoRefusal(error: Error): boolean {
  const { code, hasErrorLabel } = error as { code?: unknown; hasErrorLabel?: (label: string) => boolean };
  if (typeof code === 'number' && MONGO_REFUSALS.has(code)) return true;
  if (STORE_ERROR_LABELS.some((label) => hasErrorLabel?.call(error, label) === true)) return true;
  return isStoreError(error.cause);
}

/** MongoDB's duplicate key: the unique index kept its promise. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11_000;
}
