import { ExportFailure, type FailureCode } from '../failures.ts';

/** Codes of S3 (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html) that say what somebody has to change. */
const CODES: Readonly<Record<string, FailureCode>> = {
  InvalidAccessKeyId: 'invalid_access_key',
  SignatureDoesNotMatch: 'signature_mismatch',
  AccessDenied: 'access_denied',
  AllAccessDisabled: 'access_denied',
  AccountProblem: 'access_denied',
  NoSuchBucket: 'no_such_bucket',
  PermanentRedirect: 'wrong_region',
  TemporaryRedirect: 'wrong_region',
  AuthorizationHeaderMalformed: 'wrong_region',
  RequestTimeTooSkewed: 'clock_skew',
};

/** The code in an error document of S3: of its text nothing else is kept. */
export function s3Code(text: string): string | null {
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text)?.[1] ?? null;
}

/** The failure that an answer with an error is. */
export function failureOf(status: number, text: string): ExportFailure {
  const code = s3Code(text);
  return new ExportFailure(CODES[code ?? ''] ?? byStatus(status), code ?? `HTTP ${status}`);
}

function byStatus(status: number): FailureCode {
  if (status >= 300 && status < 400) return 'wrong_region';
  if (status === 401 || status === 403) return 'access_denied';
  if (status === 429 || status >= 500) return 'unavailable';
  return 'unexpected';
}

/** The failure of a request that got no answer. */
export function failureWithoutAnswer(error: unknown): ExportFailure {
  if (error instanceof ExportFailure) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const name = error instanceof Error ? error.name : '';
  if (/TIMEOUT/.test(code) || name === 'TimeoutError' || name === 'AbortError')
    return new ExportFailure('timeout', code, error);
  if (/^(ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(code))
    return new ExportFailure('tls', code, error);
  return new ExportFailure('unreachable', code, error);
}
