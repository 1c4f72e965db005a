import { isUtf8 } from 'node:buffer';
import { parse as parseQuery } from 'node:querystring';
import type { Request } from 'express';
import { BODY_DEPTH, BODY_VALUES } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import {
  eachMember,
  expectEnd,
  JsonScanError,
  openJson,
  parseValue,
  skipValue,
} from '../../shared/platform/basics/scan-json.ts';
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
  return type === 'form' ? parseForm(bytes) : parseJson(bytes);
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

/** The type of a body that is not empty. */
function requireType(req: Request, types: readonly BodyType[]): BodyType {
  if (isEmpty(req)) throw emptyBody();
  const type = types.find((candidate) => candidate === 'untyped-json' || req.is(MEDIA_TYPES[candidate]));
  if (!type) throw wrongType(types.map((candidate) => MEDIA_TYPES[candidate]));
  if ((charsetOf(req) ?? 'utf-8') !== 'utf-8')
    throw new DomainError('unsupported_media_type', 'The charset must be utf-8.');
  return type;
}

/** Reads bytes that are UTF-8: with U+FFFD in place of others, two ids could become one. */
async function readText(req: Request, limits: BodyLimits, codings: readonly Coding[]): Promise<Buffer> {
  const bytes = await readBytes(req, limits, codings);
  if (bytes.length === 0) throw emptyBody();
  if (!isUtf8(bytes)) throw new DomainError('malformed_json', 'The body is not valid UTF-8.');
  return bytes;
}

/** RFC 6749 section 3.2: a parameter without a value counts as left out. */
function parseForm(bytes: Buffer): unknown {
  const form = parseQuery(bytes.toString(), '&', '=', { maxKeys: 0 });
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
}

/** Parses JSON. A byte order mark at its beginning is dropped. */
function parseJson(bytes: Buffer): unknown {
  rejectDeeplyNested(bytes);
  const text = bytes.toString();
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    throw new DomainError('malformed_json', 'The body is not valid JSON.');
  }
}

function emptyBody(): DomainError {
  return new DomainError('malformed_json', 'The body is empty.');
}

const BOUNDS = { depth: BODY_DEPTH, values: BODY_VALUES };

/**
 * Refuses JSON that is nested too deep or holds too many values, before it is parsed: to parse 8 MiB of empty objects
 * holds the event loop for a second.
 */
function rejectDeeplyNested(bytes: Buffer): void {
  asDomainError(() => skipValue(openJson(bytes), BOUNDS));
}

/** The members of these names of a JSON object; the others are skipped as bytes. */
function pickMembers(bytes: Buffer, names: ReadonlySet<string>): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  const cursor = openJson(bytes);
  asDomainError(() => {
    eachMember(cursor, (name) => {
      if (names.has(name)) picked[name] = parseValue(cursor, BOUNDS);
      else skipValue(cursor);
    });
    expectEnd(cursor);
  });
  return picked;
}

function asDomainError(scan: () => void): void {
  try {
    scan();
  } catch (error) {
    if (!(error instanceof JsonScanError)) throw error;
    const { code, detail } = FAULTS[error.fault];
    throw new DomainError(code, detail);
  }
}

const FAULTS = {
  syntax: { code: 'malformed_json', detail: 'The body is not valid JSON.' },
  depth: { code: 'malformed_json', detail: `The body is nested deeper than ${BODY_DEPTH} levels.` },
  values: { code: 'payload_too_large', detail: `The body holds more than ${BODY_VALUES} values.` },
} as const;
