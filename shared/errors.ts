/**
 * Every error that a caller can meet: stable code, HTTP status, title. One table, so that a code means the
 * same on every route; `api/problem.ts` turns it into RFC 9457 problem+json.
 */
export const ERRORS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  malformed_json: { status: 400, title: 'The body is not readable' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this query' },
  invalid_grant: { status: 400, title: 'The code is not valid' },
  authorization_pending: { status: 400, title: 'The user code was not approved yet' },
  slow_down: { status: 400, title: 'The device asks too often' },
  access_denied: { status: 400, title: 'The device cannot be linked' },
  unsupported_grant_type: { status: 400, title: 'The grant type is not supported' },
  expired_token: { status: 400, title: 'The code has expired' },
  unauthorized: { status: 401, title: 'The credential is missing or not valid' },
  insufficient_credits: { status: 402, title: 'There are no credits left' },
  missing_scope: { status: 403, title: 'The credential does not hold the scope that this needs' },
  cross_site: { status: 403, title: 'The request did not come from the dashboard' },
  not_a_member: { status: 403, title: 'The person belongs to no organization here' },
  plan_required: { status: 403, title: 'The plan of the organization does not include this' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'The method is not supported here' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  too_many_devices: { status: 409, title: 'The account has as many devices as it may have' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body has a type or encoding that is not supported' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for something else' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something failed on our side' },
  not_ready: { status: 503, title: 'This process cannot serve now' },
  issuer_unavailable: { status: 503, title: 'The identity provider cannot be reached' },
  store_unavailable: { status: 503, title: 'A store cannot be reached; nothing was written' },
  signing_unavailable: { status: 503, title: 'Receipts cannot be signed now; nothing was spent' },
  rebuilding: { status: 503, title: 'Credits are being checked against the ledger; nothing was written' },
  backpressure: { status: 503, title: 'The ledger lags too far behind; nothing was written' },
  overloaded: { status: 503, title: 'The service sheds load; try again' },
  outcome_unknown: { status: 504, title: 'A store did not answer in time; repeat with the same key' },
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
]);

/** Whether an error says that a store could not be reached, so that the caller may try again (503, not 500). */
export function isStoreError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (STORE_ERROR_NAMES.has(error.name)) return true;
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
