import express, { type Request, type Response } from 'express';
import { BODY_BYTES, BODY_DEPTH } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';

export const MEDIA_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  /** JSON, whatever its header says, and without one. */
  'untyped-json': 'application/json',
} as const;
export type BodyType = keyof typeof MEDIA_TYPES;

// The parsers take an empty body for `{}`. That a body in chunks is empty shows only when it is read.
const common = { limit: BODY_BYTES, verify: refuseEmpty };
const form = express.urlencoded({ ...common, extended: false, parameterLimit: 100 });
const json = express.json({ ...common, strict: false, type: 'application/json' });
const untyped = express.json({ ...common, strict: false, type: () => true });
const PARSERS = { json, form, 'untyped-json': untyped };

/**
 * Reads a body of at most 1 MiB after inflating and 32 levels: JSON, or a form where a route takes one. Duplicate keys
 * of JSON: the last one wins, as JSON.parse has it; of a form: an array, which no schema takes. Throws `unsupported_media_type`, `malformed_json`, `payload_too_large`.
 */
export async function readBody(
  req: Request,
  res: Response,
  types: readonly BodyType[] = ['json'],
): Promise<unknown> {
  const empty = req.headers['content-length'] === '0' || !hasBody(req);
  const type = types.find((candidate) => candidate === 'untyped-json' || req.is(MEDIA_TYPES[candidate]));
  if (!empty && !type) {
    const accepted = types.map((candidate) => MEDIA_TYPES[candidate]).join(' or ');
    throw new DomainError('unsupported_media_type', `Send the body as Content-Type: ${accepted}.`);
  }
  if (empty) throw emptyBody();
  await new Promise<void>((resolve, reject) => {
    PARSERS[type ?? 'json'](req, res, (error: unknown) => (error ? reject(error) : resolve()));
  });
  if (isDeeper(req.body, BODY_DEPTH)) {
    throw new DomainError('malformed_json', `The body is nested deeper than ${BODY_DEPTH} levels.`);
  }
  return req.body;
}

function refuseEmpty(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (bytes.length === 0) throw emptyBody();
}

function emptyBody(): DomainError {
  return new DomainError('malformed_json', 'The body is empty.');
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || req.headers['content-length'] !== undefined;
}

/** Whether a value is nested deeper than this. Without recursion: a body of 1 MiB can nest half a million levels. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < levels; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return level.some((item) => typeof item === 'object' && item !== null);
}
