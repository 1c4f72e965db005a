import express, { type Request, type Response } from 'express';
import { BODY_BYTES, BODY_DEPTH } from '../shared/contract.ts';
import { DomainError } from '../shared/errors.ts';

const json = express.json({ limit: BODY_BYTES, strict: false, type: 'application/json' });

/**
 * Reads a JSON body of at most 1 MiB after inflating and 32 levels. Duplicate keys: the last one wins, as JSON.parse
 * has it. Throws `unsupported_media_type`, `malformed_json`, `payload_too_large`.
 */
export async function readBody(req: Request, res: Response): Promise<unknown> {
  const empty = req.headers['content-length'] === '0' || !hasBody(req);
  if (!empty && !req.is('application/json')) {
    throw new DomainError('unsupported_media_type', 'Send the body as Content-Type: application/json.');
  }
  if (empty) throw new DomainError('malformed_json', 'The body is empty.');
  await new Promise<void>((resolve, reject) => {
    json(req, res, (error: unknown) => (error ? reject(error) : resolve()));
  });
  if (isDeeper(req.body, BODY_DEPTH)) {
    throw new DomainError('malformed_json', `The body is nested deeper than ${BODY_DEPTH} levels.`);
  }
  return req.body;
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || req.headers['content-length'] !== undefined;
}

/** Without recursion: a body of 1 MiB can nest half a million levels. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < levels; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return level.some((item) => typeof item === 'object' && item !== null);
}
