import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';

export interface BodyLimits {
  /** After inflating. */
  maxBytes: number;
  deadlineMs: number;
  /** Called with the bytes that a body announces, or else with those that come. It may refuse them. */
  hold?: (bytes: number) => void;
}

const INFLATERS = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};
export type Coding = keyof typeof INFLATERS;

/**
 * Reads the bytes of a body in one of these codings, inflated. Throws `unsupported_media_type`, `malformed_json`,
 * `payload_too_large`, `request_timeout`.
 */
export async function readBytes(
  req: IncomingMessage,
  limits: BodyLimits,
  codings: readonly Coding[],
): Promise<Buffer> {
  const { maxBytes, deadlineMs, hold } = limits;
  const coding = codingOf(req, codings);
  if (isEmpty(req)) return Buffer.alloc(0);
  const announced = coding === null ? Number(req.headers['content-length'] ?? 0) : 0;
  if (announced > maxBytes) throw tooLarge(maxBytes);
  hold?.(announced);
  if (announced > 0 && req.readableLength === announced) return takeArrived(req, announced);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooLate(deadlineMs)), deadlineMs);
  try {
    return await Promise.race([late.promise, collect(req, coding, announced, limits)]);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('malformed_json', 'The body could not be read.');
  } finally {
    clearTimeout(timer);
  }
}

/** A body that is here already, as small ones nearly always are: a stream, its listeners and a timer cost as much as a spend's digests. */
function takeArrived(req: IncomingMessage, length: number): Buffer {
  // Without a length, Node gives the first of the pieces that have arrived.
  const bytes = req.read(length);
  // So that the request ends although nobody listens.
  req.resume();
  return bytes;
}

/** Gathers the chunks of a body, into one place where its length is known, so that a large one is not in memory twice. */
async function collect(
  req: IncomingMessage,
  coding: Coding | null,
  announced: number,
  { maxBytes, hold }: BodyLimits,
): Promise<Buffer> {
  const inflater = coding === null ? null : INFLATERS[coding]();
  // Without it the inflater would wait for a caller that has gone.
  if (inflater) req.once('error', (error) => inflater.destroy(error)).pipe(inflater);
  const place = Buffer.allocUnsafeSlow(announced);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // A refused request is not destroyed: its answer goes out on the same socket.
    for await (const chunk of (inflater ?? req).iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      if (announced > 0) chunk.copy(place, bytes);
      else chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      if (inflater) refuseBomb(bytes, inflater.bytesWritten);
      if (announced === 0) hold?.(chunk.length);
    }
  } finally {
    inflater?.destroy();
  }
  return announced > 0 ? place.subarray(0, bytes) : Buffer.concat(chunks, bytes);
}

/** Exports inflate to 30 times their bytes, those of nearly equal records to 150, blanks to 1,000. */
const MOST_INFLATION = 200;
/** Bytes that are inflated of any body. */
const INFLATED_ANYWAY_BYTES = 2 ** 20;

/** Refuses a body that is nearly nothing before inflating. */
function refuseBomb(inflated: number, compressed: number): void {
  if (inflated <= INFLATED_ANYWAY_BYTES || inflated <= MOST_INFLATION * compressed) return;
  throw new DomainError(
    'payload_too_large',
    `Beyond 1 MiB a body may inflate to at most ${MOST_INFLATION} times its compressed bytes.`,
  );
}

function codingOf({ headers }: IncomingMessage, codings: readonly Coding[]): Coding | null {
  // RFC 9110, 8.4.1.3: `x-gzip` is gzip.
  const named = (headers['content-encoding'] ?? 'identity').toLowerCase().replace(/^x-gzip$/, 'gzip');
  if (named === 'identity') return null;
  const coding = codings.find((candidate) => candidate === named);
  if (coding) return coding;
  throw new DomainError(
    'unsupported_media_type',
    codings.length === 0
      ? 'Send the body without a Content-Encoding.'
      : `Content-Encoding must be ${codings.join(', ')} or absent.`,
    // RFC 7694 section 3: without a coding, identity is what is accepted.
    {},
    { 'Accept-Encoding': codings.length === 0 ? 'identity' : codings.join(', ') },
  );
}

/** True when a request announces no body, or one of no bytes. */
export function isEmpty({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/**
 * True when the rest of a refused body is too long to be read for nothing, so that the connection has to end. Node reads
 * and drops a short rest: its sender gets the answer, and what was sent behind it is answered too.
 */
export function isTooLongToDrop(req: IncomingMessage): boolean {
  const isShort = Number(req.headers['content-length']) <= BODY_BYTES;
  return !isEmpty(req) && !req.complete && !isShort;
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body may hold ${maxBytes} bytes, after inflating.`);
}

function tooLate(deadlineMs: number): DomainError {
  return new DomainError('request_timeout', `Send the body within ${deadlineMs / 1_000} s.`);
}

export function wrongType(accepted: readonly string[]): DomainError {
  return new DomainError(
    'unsupported_media_type',
    `Send the body as Content-Type: ${accepted.join(' or ')}.`,
    {},
    { Accept: accepted.join(', ') },
  );
}

/** The charset that a request's Content-Type names. */
export function charsetOf({ headers }: IncomingMessage): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase();
}
