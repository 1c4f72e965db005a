import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { OtlpEncoding } from '../../shared/adapters/otlp/read-records.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';

/** The media type of each encoding of OTLP/HTTP. */
export const OTLP_TYPES = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
} as const satisfies Record<OtlpEncoding, string>;

/** The encoding that a request's Content-Type names, if it is one of OTLP. */
export function encodingOf(req: IncomingMessage): OtlpEncoding | null {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return null;
  if (type.trim() === OTLP_TYPES.json) return 'json';
  return type.trim() === OTLP_TYPES.protobuf ? 'protobuf' : null;
}

/**
 * Reads a body of at most `maxBytes` after inflating; it may be empty and come in chunks. `hold` is told the bytes as they
 * come, and may refuse them. Throws `unsupported_media_type`, `payload_too_large`, `malformed_json`.
 */
export async function readOtlpBody(
  req: IncomingMessage,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<{ body: Uint8Array; encoding: OtlpEncoding }> {
  const encoding = encodingOf(req);
  if (!encoding) {
    const accepted = Object.values(OTLP_TYPES).join(' or ');
    throw new DomainError('unsupported_media_type', `Send the body as Content-Type: ${accepted}.`);
  }
  const compression = (req.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (compression !== 'identity' && compression !== 'gzip')
    throw new DomainError('unsupported_media_type', 'Send the body as gzip or without a Content-Encoding.');
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return { body: await collect(req, compression === 'gzip', maxBytes, hold), encoding };
}

async function collect(
  req: IncomingMessage,
  isGzip: boolean,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  const gathered = startGathering(isGzip ? 0 : Number(req.headers['content-length'] ?? 0), maxBytes);
  const gather = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      hold(chunk.length);
      gathered.add(chunk);
    }
  };
  try {
    if (!isGzip) await pipeline(req, gather);
    else {
      const gunzip = createGunzip();
      await pipeline(req, gunzip, refuseBombs(gunzip), gather);
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    // An empty body is no gzip, and still an empty request.
    if (isGzip && req.readableEnded && req.headers['content-length'] === '0') return new Uint8Array();
    throw new DomainError('malformed_json', 'The body could not be read.');
  }
  return gathered.whole();
}

/** Exports inflate to 30 times their bytes, those of nearly equal records to 150, blanks to 1,000. */
const MOST_INFLATION = 200;
/** So much is inflated of any body. */
const INFLATED_ANYWAY_BYTES = 2 ** 20;

/** Passes on what was inflated. Throws `payload_too_large` for a body that is nearly nothing before inflating. */
function refuseBombs(gunzip: Gunzip) {
  return async function* (inflated: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of inflated) {
      bytes += chunk.length;
      if (bytes > INFLATED_ANYWAY_BYTES && bytes > MOST_INFLATION * gunzip.bytesWritten)
        throw new DomainError(
          'payload_too_large',
          `Beyond 1 MiB a body may inflate to at most ${MOST_INFLATION} times its compressed bytes.`,
        );
      yield chunk;
    }
  };
}

/** Gathers chunks: into one place where the length is known, so that a large body is not held twice. */
function startGathering(length: number, maxBytes: number) {
  const place = length > 0 ? Buffer.allocUnsafeSlow(length) : null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add: (chunk: Buffer): void => {
      if (bytes + chunk.length > maxBytes) throw tooLarge(maxBytes);
      if (place) chunk.copy(place, bytes);
      else chunks.push(chunk);
      bytes += chunk.length;
    },
    whole: (): Uint8Array => (place ? place.subarray(0, bytes) : Buffer.concat(chunks, bytes)),
  };
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError(
    'payload_too_large',
    `The body may hold ${maxBytes} bytes, after inflating. Send smaller batches.`,
  );
}
