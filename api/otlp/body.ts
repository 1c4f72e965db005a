import type { IncomingMessage } from 'node:http';
import type { OtlpEncoding } from '../../shared/core/calls/adapters/otlp/read-records.ts';
import { type BodyLimits, charsetOf, readBytes, wrongType } from '../basics/read-bytes.ts';

export const OTLP_TYPES = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
} as const satisfies Record<OtlpEncoding, string>;

export function encodingOf(req: IncomingMessage): OtlpEncoding | null {
  if (!/^utf-?8$/.test(charsetOf(req) ?? 'utf-8')) return null;
  const type = (req.headers['content-type'] ?? '').toLowerCase().split(';')[0]?.trim();
  if (type === OTLP_TYPES.json) return 'json';
  return type === OTLP_TYPES.protobuf ? 'protobuf' : null;
}

/** Reads a body of OTLP, which may be empty. Throws as `readBytes`. */
export async function readOtlpBody(
  req: IncomingMessage,
  limits: BodyLimits,
): Promise<{ body: Uint8Array; encoding: OtlpEncoding }> {
  const encoding = encodingOf(req);
  if (!encoding) throw wrongType(Object.values(OTLP_TYPES));
  return { body: await readBytes(req, limits, ['gzip']), encoding };
}
