/** Why a run or a test of a destination failed. */
export const FAILURES = {
  invalid_access_key: 'The server does not know the access key.',
  signature_mismatch: 'The server refuses the signature: check the secret.',
  access_denied: 'The place may not be read or written with these rights.',
  no_such_bucket: 'There is no such bucket.',
  wrong_region: 'The bucket lies in another region.',
  clock_skew: 'The clock of the server differs from ours.',
  prefix_in_use: 'Another destination writes below this prefix, or something else changed its files.',
  not_allowed: 'The operator does not allow this place, or it holds a symbolic link.',
  unreachable: 'The server cannot be reached.',
  timeout: 'It took too long.',
  tls: 'The certificate of the server cannot be trusted.',
  unavailable: 'The place cannot take files now.',
  spool_full: 'The folder for files that are being made is full.',
  sums_differ: 'The sum of the file is not the sum of usage, so it was not written.',
  stale: 'The destination or the exported usage changed while the run went on.',
  unexpected: 'Something failed on our side.',
} as const;
export type FailureCode = keyof typeof FAILURES;
export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

/** Codes that do not go away by themselves: a run with one waits for the next hour of the destination, or for somebody. */
const WAITING: readonly FailureCode[] = [
  'invalid_access_key',
  'signature_mismatch',
  'access_denied',
  'no_such_bucket',
  'wrong_region',
  'clock_skew',
  'prefix_in_use',
  'not_allowed',
];

/** Returns true for a failure that comes again until somebody changes something. */
export function waitsForSomebody(code: FailureCode): boolean {
  return WAITING.includes(code);
}

/** A failure of a run that its destination shows. `cause` is for the log. */
export class ExportFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, more = '', cause?: unknown) {
    super(more === '' ? FAILURES[code] : `${FAILURES[code]} (${more})`, { cause });
    this.name = 'ExportFailure';
    this.code = code;
  }
}

/** Another worker has taken over the run: this one stops, and records nothing. */
export class RunLost extends Error {
  override name = 'RunLost';
}
