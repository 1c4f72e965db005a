import type { Response } from 'express';
import {
  DomainError,
  ERRORS,
  type ErrorCode,
  isOutcomeUnknown,
  isStoreError,
} from '../../shared/platform/basics/errors.ts';

export interface Problem {
  status: number;
  code: ErrorCode;
  detail: string;
  extra: Readonly<Record<string, unknown>>;
  headers: Record<string, string>;
}

/** Maps a failure to what it means to the caller. Only a failed parse of the caller's input is a 400, and that is a DomainError. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DomainError) return domainProblem(error);
  if (error instanceof URIError) return plain('invalid_request', 'The path is not valid percent-encoding.');
  if (isOutcomeUnknown(error)) {
    return plain(
      'outcome_unknown',
      'The store did not say whether it made the change. Look, or repeat with the same Idempotency-Key.',
    );
  }
  if (isStoreError(error)) {
    return {
      ...plain('store_unavailable', 'A store does not answer. Try again.'),
      headers: { 'Retry-After': '1' },
    };
  }
  return plain('internal', 'Something failed on our side. The request id finds it in our log.');
}

/** Codes after which the rest of a body may still be on its way. */
const CLOSING: ReadonlySet<ErrorCode> = new Set(['request_timeout', 'payload_too_large']);

function domainProblem(error: DomainError): Problem {
  const headers: Record<string, string> = { ...error.headers };
  if (CLOSING.has(error.code)) headers.Connection = 'close';
  if (error.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer';
  if (error.code === 'budget_refused') headers['X-Governor-Refused-By'] = refusedBy(error.extra);
  const challenge = error.extra.challenge;
  if (typeof challenge === 'string') headers['WWW-Authenticate'] = challenge;
  const wait = error.extra.retry_after_s;
  if (typeof wait === 'number') headers['Retry-After'] = String(wait);
  else if (ERRORS[error.code].status === 503) headers['Retry-After'] = '1';
  const allow = error.extra.allow;
  if (typeof allow === 'string') headers.Allow = allow;
  return { ...plain(error.code, error.message), extra: error.extra, headers };
}

function refusedBy({ refused_by }: DomainError['extra']): string {
  return (refused_by as { id: string } | null)?.id ?? '';
}

function plain(code: ErrorCode, detail: string): Problem {
  return { status: ERRORS[code].status, code, detail, extra: {}, headers: {} };
}

/** The body of a problem document. `type` is a name, not an address. */
export function problemBody(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `urn:usage-governor:problem:${problem.code}`,
    title: ERRORS[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: problem.detail,
    ...problem.extra,
    request_id: requestId,
  };
}

/** The only place that sends a problem document. */
export function sendProblem(res: Response, error: unknown, requestId: string): void {
  const problem = problemOf(error);
  // A guard may have set a challenge of its own.
  for (const [name, value] of Object.entries(problem.headers)) if (!res.hasHeader(name)) res.set(name, value);
  res
    .status(problem.status)
    .set('Cache-Control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problemBody(problem, requestId)));
}
