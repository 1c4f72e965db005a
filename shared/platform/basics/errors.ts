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
  revoke_made_needed: {
    status: 409,
    title: 'The person made keys or webhooks: decide whether they end too',
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

/** A failure that the caller can understand. `extra` becomes members of the problem document: no secrets. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, detail: string, extra: Record<string, unknown> = {}) {
    super(detail);
    this.name = 'DomainError';
    this.code = code;
    this.extra = extra;
  }
}

/** Returns true for an error of ours with this code. */
export function isCode(error: unknown, code: ErrorCode): error is DomainError {
  return error instanceof DomainError && error.code === code;
}

const STORE_ERROR_NAMES = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoExpiredSessionError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
  'MongooseServerSelectionError',
  'MaxRetriesPerRequestError',
  'DeadlineError',
]);

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
 * or too few replicas follow. The command had no effect.
 */
const REDIS_REFUSALS = /^(OOM|MISCONF|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|BUSY) /;

/**
 * True when an error says that a store could not be reached, did not answer or cannot serve now: see also
 * `isOutcomeUnknown`.
 */
export function isStoreError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (STORE_ERROR_NAMES.has(error.name)) return true;
  if (error.name === 'ReplyError') return REDIS_REFUSALS.test(error.message);
  if ('errorLabels' in error || 'errorLabelSet' in error) {
    const labelled = error as { hasErrorLabel?: (label: string) => boolean };
    return ['TransientTransactionError', 'RetryableWriteError', 'UnknownTransactionCommitResult'].some(
      (label) => labelled.hasErrorLabel?.(label) === true,
    );
  }
  return /ECONNREFUSED|ECONNRESET|Stream isn't writeable|Connection is closed|Command timed out/.test(
    error.message,
  );
}

/** MongoDB's duplicate key: the unique index kept its promise. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11_000;
}
