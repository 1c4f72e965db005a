import { isUtf8 } from 'node:buffer';
import { BODY_DEPTH, BODY_VALUES } from './contract.ts';
import { DomainError } from './errors.ts';
import { JsonScanError, openJson, skipValue } from './scan-json.ts';

/** The bounds of JSON from outside. */
export const BODY_BOUNDS = { depth: BODY_DEPTH, values: BODY_VALUES };

const FAULTS = {
  syntax: { code: 'malformed_json', detail: 'The body is not valid JSON.' },
  depth: { code: 'malformed_json', detail: `The body is nested deeper than ${BODY_DEPTH} levels.` },
  values: { code: 'payload_too_large', detail: `The body holds more than ${BODY_VALUES} values.` },
} as const;

/**
 * Parses JSON from outside. JSON that is nested too deep or holds too many values is refused before: to parse 8 MiB of empty
 * objects holds the event loop for a second. A byte order mark at its beginning is dropped. Throws `malformed_json` and
 * `payload_too_large`.
 */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  asDomainError(() => skipValue(openJson(bytes), BODY_BOUNDS));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    throw new DomainError('malformed_json', FAULTS.syntax.detail);
  }
}

/** Throws `malformed_json` for bytes that are not UTF-8: with U+FFFD in place of others, two ids could become one. */
export function requireUtf8(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw new DomainError('malformed_json', 'The body is not valid UTF-8.');
}

/** Runs a scan of a body; its faults are the caller's. */
export function asDomainError(scan: () => void): void {
  try {
    scan();
  } catch (error) {
    if (!(error instanceof JsonScanError)) throw error;
    const { code, detail } = FAULTS[error.fault];
    throw new DomainError(code, detail);
  }
}
