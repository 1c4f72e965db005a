import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { BODY_BYTES, BODY_DEPTH, BODY_VALUES } from '../../shared/platform/basics/contract.ts';
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

export interface BodyLimits {
  types: readonly BodyType[];
  /** After inflating. */
  maxBytes: number;
  deadlineMs: number;
}

/**
 * Reads a body within its limits: JSON, or a form where a route takes one. Duplicate keys of JSON: the last one wins, as in
 * JSON.parse; of a form: an array, which no schema takes. Throws `unsupported_media_type`, `malformed_json`,
 * `payload_too_large`, `request_timeout`.
 */
export async function readBody(req: Request, res: Response, limits: BodyLimits): Promise<unknown> {
  const { types, maxBytes, deadlineMs } = limits;
  const empty = req.headers['content-length'] === '0' || !hasBody(req);
  const type = types.find((candidate) => candidate === 'untyped-json' || req.is(MEDIA_TYPES[candidate]));
  if (!empty && !type) {
    const accepted = types.map((candidate) => MEDIA_TYPES[candidate]).join(' or ');
    throw new DomainError('unsupported_media_type', `Send the body as Content-Type: ${accepted}.`);
  }
  if (empty || !type) throw emptyBody();
  const whole = type === 'form' ? null : takeWhole(req, maxBytes);
  const body =
    whole === null ? await parseStream(req, res, parserOf(type, maxBytes), deadlineMs) : parseJson(whole);
  return type === 'form' ? withoutEmpty(body as object) : body;
}

/** RFC 6749 section 3.2: a parameter without a value counts as left out. */
function withoutEmpty(form: object): unknown {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
}

/**
 * The bytes of a body that is here already, as it is, as small ones nearly always are; else null. The parser's stream,
 * timer and listeners cost a spend as much as its digests.
 */
function takeWhole(req: Request, maxBytes: number): Buffer | null {
  const { headers, readableLength: length } = req;
  const isPlain =
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    PLAIN_JSON.has(headers['content-type'] ?? '');
  const isWhole = length > 0 && length <= maxBytes && length === Number(headers['content-length']);
  if (!isPlain || !isWhole) return null;
  // Without a length, Node gives the first of the pieces that have arrived.
  const bytes = req.read(length);
  // So that the request ends although nobody listens.
  req.resume();
  return bytes;
}

/**
 * Whether what is still to come of a refused body is too much to be read for nothing, so that the connection has to end.
 * Node reads and drops a short rest: its sender gets the answer, and what was sent behind it is answered too.
 */
export function isTooLongToDrop(req: Request): boolean {
  const isShort = Number(req.headers['content-length']) <= BODY_BYTES;
  return hasBody(req) && !req.complete && !isShort;
}

const PLAIN_JSON: ReadonlySet<string> = new Set(['application/json', 'application/json; charset=utf-8']);

/** As the parser has it: the bytes are UTF-8, and a byte order mark says nothing. */
function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notUtf8();
  refuseTangled(bytes);
  const text = bytes.toString();
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    throw new DomainError('malformed_json', 'The body is not valid JSON.');
  }
}

async function parseStream(
  req: Request,
  res: Response,
  parser: RequestHandler,
  deadlineMs: number,
): Promise<unknown> {
  await runWithin(deadlineMs, parser, req, res);
  return req.body;
}

/**
 * Reads the bytes of a body of JSON, for a route that reads little of them or checks who has signed them. They come as
 * they are: inflated, a kilobyte would cost as much as a megabyte. Throws as `readBody`.
 */
export async function readPlainBytes(
  req: Request,
  res: Response,
  { maxBytes, deadlineMs }: Omit<BodyLimits, 'types'>,
): Promise<Buffer> {
  if (req.headers['content-length'] === '0' || !hasBody(req)) throw emptyBody();
  if (!req.is(MEDIA_TYPES.json))
    throw new DomainError('unsupported_media_type', `Send the body as Content-Type: ${MEDIA_TYPES.json}.`);
  if ((req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new DomainError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  await runWithin(deadlineMs, express.raw({ limit: maxBytes, inflate: false, type: () => true }), req, res);
  return req.body;
}

/** Reads the members of these names of a JSON object. Others, however large, are neither parsed nor checked. */
export async function readMembers(
  req: Request,
  res: Response,
  limits: Omit<BodyLimits, 'types'>,
  names: readonly string[],
): Promise<unknown> {
  const bytes = await readPlainBytes(req, res, limits);
  if (!isUtf8(bytes)) throw notUtf8();
  return pickMembers(bytes, new Set(names));
}

async function runWithin(
  deadlineMs: number,
  parser: RequestHandler,
  req: Request,
  res: Response,
): Promise<void> {
  const parsed = Promise.withResolvers<void>();
  const late = setTimeout(() => parsed.reject(tooLate(deadlineMs)), deadlineMs);
  parser(req, res, (error: unknown) => (error ? parsed.reject(error) : parsed.resolve()));
  await parsed.promise.finally(() => clearTimeout(late));
}

const parsers = new Map<string, RequestHandler>();

function parserOf(type: BodyType, limit: number): RequestHandler {
  const name = `${type} ${limit}`;
  const known = parsers.get(name);
  if (known) return known;
  const fresh =
    type === 'form'
      ? express.urlencoded({ limit, verify, extended: false, parameterLimit: 100 })
      : express.json({ limit, verify: verifyJson, strict: false, type: () => true });
  parsers.set(name, fresh);
  return fresh;
}

/**
 * Refuses inflated bytes that a parser would take for something else: none at all for `{}`, and those that are not
 * UTF-8 for U+FFFD, which would make one id of two.
 */
function verify(_req: unknown, _res: unknown, bytes: Buffer, charset: string): void {
  if (bytes.length === 0) throw emptyBody();
  if (charset !== 'utf-8') throw new DomainError('unsupported_media_type', 'The charset must be utf-8.');
  if (!isUtf8(bytes)) throw notUtf8();
}

function verifyJson(req: unknown, res: unknown, bytes: Buffer, charset: string): void {
  verify(req, res, bytes, charset);
  refuseTangled(bytes);
}

function emptyBody(): DomainError {
  return new DomainError('malformed_json', 'The body is empty.');
}

function notUtf8(): DomainError {
  return new DomainError('malformed_json', 'The body is not valid UTF-8.');
}

function tooLate(deadlineMs: number): DomainError {
  return new DomainError('request_timeout', `Send the body within ${deadlineMs / 1_000} s.`);
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || req.headers['content-length'] !== undefined;
}

const BOUNDS = { depth: BODY_DEPTH, values: BODY_VALUES };

/**
 * Refuses JSON that is nested too deep or holds too many values, before it is parsed: to parse 8 MiB of empty objects
 * holds the event loop for a second.
 */
function refuseTangled(bytes: Buffer): void {
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
