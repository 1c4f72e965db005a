import { parse as parseQuery } from 'node:querystring';
import type { Request } from 'express';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import {
  asDomainError,
  BODY_BOUNDS,
  eachMember,
  expectEnd,
  openJson,
  parseJsonBytes,
  parseValue,
  requireUtf8,
  skipValue,
} from '../../shared/platform/basics/parse-json.ts';
import { type BodyType, MEDIA_TYPES } from '../basics/media-types.ts';
import {
  type BodyLimits,
  type Coding,
  charsetOf,
  isEmpty,
  readBytes,
  wrongType,
} from '../basics/read-bytes.ts';

/**
 * Reads a body within its limits: JSON, or a form where a route takes one. The last of duplicate keys in JSON wins, as in
 * JSON.parse; in a form they become an array, which no schema takes. Throws `unsupported_media_type`, `malformed_json`,
 * `payload_too_large`, `request_timeout`.
 */
export async function readBody(
  req: Request,
  limits: BodyLimits,
  types: readonly BodyType[] = ['json'],
): Promise<unknown> {
  const type = requireType(req, types);
  const bytes = await readText(req, limits, ['gzip', 'deflate', 'br', 'zstd']);
  return type === 'form' ? parseForm(bytes) : parseJsonBytes(bytes);
}

/** Reads the members of these names of a JSON object. Others, however large, are neither parsed nor checked. */
export async function readMembers(
  req: Request,
  limits: BodyLimits,
  names: readonly string[],
): Promise<unknown> {
  requireType(req, ['json']);
  return pickMembers(await readText(req, limits, []), new Set(names));
}

/**
 * Reads a body of JSON as it was sent, for a route that checks who has signed its bytes. It takes no Content-Encoding:
 * inflated, a kilobyte would cost as much as a megabyte. Throws as `readBody`.
 */
export async function readPlainBytes(req: Request, limits: BodyLimits): Promise<Buffer> {
  requireType(req, ['json']);
  return readBytes(req, limits, []);
}

function requireType(req: Request, types: readonly BodyType[]): BodyType {
  if (isEmpty(req)) throw emptyBody();
  const named = req.headers['content-type'];
  const type = types.find(
    (candidate) =>
      candidate === 'untyped-json' || named === MEDIA_TYPES[candidate] || req.is(MEDIA_TYPES[candidate]),
  );
  if (!type) throw wrongType(types.map((candidate) => MEDIA_TYPES[candidate]));
  if ((charsetOf(req) ?? 'utf-8') !== 'utf-8')
    throw new DomainError('unsupported_media_type', 'The charset must be utf-8.');
  return type;
}

async function readText(req: Request, limits: BodyLimits, codings: readonly Coding[]): Promise<Buffer> {
  const bytes = await readBytes(req, limits, codings);
  if (bytes.length === 0) throw emptyBody();
  requireUtf8(bytes);
  return bytes;
}

/** RFC 6749 section 3.2: a parameter without a value counts as left out. */
function parseForm(bytes: Buffer): unknown {
  const form = parseQuery(bytes.toString(), '&', '=', { maxKeys: 0 });
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
}

function emptyBody(): DomainError {
  return new DomainError('malformed_json', 'The body is empty.');
}

/** The members of these names of a JSON object; the others are skipped as bytes. */
function pickMembers(bytes: Buffer, names: ReadonlySet<string>): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  const cursor = openJson(bytes);
  asDomainError(() => {
    eachMember(cursor, (name) => {
      if (names.has(name)) picked[name] = parseValue(cursor, BODY_BOUNDS);
      else skipValue(cursor);
    });
    expectEnd(cursor);
  });
  return picked;
}
