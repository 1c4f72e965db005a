import type { Response } from 'express';
import { z } from 'zod';
import type { ErrorCode } from '../../shared/platform/basics/errors.ts';
import { type Problem, problemOf } from './problem.ts';

/** RFC 6749 section 5.2. */
export const oauthErrorDocument = z.object({ error: z.string(), error_description: z.string() });

/** Our codes that RFC 6749 and RFC 8628 have under the same name. */
const NAMED: ReadonlySet<ErrorCode> = new Set([
  'invalid_grant',
  'unsupported_grant_type',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'access_denied',
]);

function oauthCodeOf(problem: Problem): string {
  if (NAMED.has(problem.code)) return problem.code;
  if (problem.status === 429 || problem.status > 500) return 'temporarily_unavailable';
  return problem.status === 500 ? 'server_error' : 'invalid_request';
}

/** Sends any failure of an OAuth endpoint in the form of RFC 6749, with the status of the problem document. */
export function sendOAuthError(res: Response, error: unknown): void {
  const problem = problemOf(error);
  const body = { error: oauthCodeOf(problem), error_description: describe(problem) };
  res
    .status(problem.status)
    .set(problem.headers)
    .set('Cache-Control', 'no-store')
    .type('application/json')
    .send(JSON.stringify(body));
}

/** RFC 6749 section 5.2 allows neither quotes nor backslashes. */
function describe(problem: Problem): string {
  const { errors } = problem.extra as { errors?: { pointer?: string; detail: string }[] };
  const fields = (errors ?? []).map(({ pointer = '', detail }) => `${pointer.slice(1)} ${detail}`.trim());
  return [problem.detail, ...fields].join(' ').replace(/[^\x20-\x7e]|["\\]/g, "'");
}
