import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

interface Packed {
  bytes: Buffer;
  headers: Record<string, string>;
}

const ENCODERS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify(gzip),
};

/** Serves bytes that never change in the best encoding that a caller takes. They are read once, and each encoding is made once. */
export function packed(read: () => Promise<Buffer>): (acceptEncoding: string) => Promise<Packed> {
  const made = new Map<string, Promise<Buffer>>();
  const once = (encoding: keyof typeof ENCODERS | 'identity'): Promise<Buffer> => {
    const bytes =
      made.get(encoding) ?? (encoding === 'identity' ? read() : once('identity').then(ENCODERS[encoding]));
    made.set(encoding, bytes);
    return bytes;
  };
  return async (acceptEncoding) => {
    const encoding = (['br', 'gzip'] as const).find((name) => takes(acceptEncoding, name)) ?? 'identity';
    const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
    return { bytes: await once(encoding), headers: { Vary: 'Accept-Encoding', ...encoded } };
  };
}

/** True when an `Accept-Encoding` names this encoding and does not rule it out by `q=0` (RFC 9110, 12.4.2). */
function takes(acceptEncoding: string, encoding: string): boolean {
  const parts = acceptEncoding.split(',').map((part) => part.split(';').map((piece) => piece.trim()));
  return parts.some(([name, weight = '']) => name === encoding && !/^q=0(\.0*)?$/.test(weight));
}
