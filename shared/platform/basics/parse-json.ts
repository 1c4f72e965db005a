import { isUtf8 } from 'node:buffer';
import { BODY_DEPTH, BODY_VALUES } from './contract.ts';
import { DomainError } from './errors.ts';

export interface JsonCursor {
  readonly bytes: Buffer;
  at: number;
}

/** Bounds of a value that is to be parsed: its nesting, and its commas and brackets, which bound its values. */
export interface JsonBounds {
  readonly depth: number;
  readonly values: number;
}

/** Bytes that are not JSON, or beyond the bounds. The message never quotes them. */
export class JsonScanError extends Error {
  readonly fault: 'syntax' | keyof JsonBounds;

  constructor(fault: JsonScanError['fault']) {
    super(`The JSON has a fault: ${fault}`);
    this.name = 'JsonScanError';
    this.fault = fault;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = { '{': 0x7b, '[': 0x5b };
const CLOSE = { '}': 0x7d, ']': 0x5d };
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const UNBOUNDED: JsonBounds = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

export function openJson(bytes: Uint8Array): JsonCursor {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
}

/** True when the next value is an object, or a list. */
export function isNext(cursor: JsonCursor, open: keyof typeof OPEN): boolean {
  return peek(cursor) === OPEN[open];
}

/**
 * Moves behind the next value and returns where it begins. Checks nothing but the bounds: the bytes are valid JSON exactly
 * when `JSON.parse` takes them. Throws `JsonScanError`.
 */
export function skipValue(cursor: JsonCursor, most: JsonBounds = UNBOUNDED): number {
  const { bytes, at: start } = cursor;
  let depth = 0;
  let values = 0;
  let at = start;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
      if (depth > 0) continue;
      at += 1;
      break;
    } else if (byte === COMMA || byte === OPEN['{'] || byte === OPEN['[']) {
      if (byte === COMMA && depth === 0) break;
      if (byte !== COMMA) depth += 1;
      values += 1;
      if (depth > most.depth) throw new JsonScanError('depth');
      if (values > most.values) throw new JsonScanError('values');
    } else if (byte === CLOSE['}'] || byte === CLOSE[']']) {
      if (depth <= 1) {
        at += depth;
        break;
      }
      depth -= 1;
    }
  }
  cursor.at = at;
  return start;
}

/** Parses the next value. Throws `JsonScanError`. */
export function parseValue(cursor: JsonCursor, most: JsonBounds): unknown {
  const start = skipValue(cursor, most);
  return parseJson(cursor.bytes.toString('utf8', start, cursor.at));
}

/** Throws `JsonScanError` where `JSON.parse` would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonScanError('syntax');
  }
}

/** Calls `visit` with the name of each member of the next object. It must move behind the member's value. */
export function eachMember(cursor: JsonCursor, visit: (name: string) => void): void {
  enclosed(cursor, OPEN['{'], CLOSE['}'], () => {
    if (peek(cursor) !== QUOTE) throw new JsonScanError('syntax');
    const name = parseJson(cursor.bytes.toString('utf8', skipValue(cursor), cursor.at)) as string;
    expectByte(cursor, COLON);
    visit(name);
  });
}

/** Calls `visit` before each element of the next list. It must move behind the element. */
export function eachElement(cursor: JsonCursor, visit: () => void): void {
  enclosed(cursor, OPEN['['], CLOSE[']'], visit);
}

/** Throws `JsonScanError` where something follows. */
export function expectEnd(cursor: JsonCursor): void {
  if (peek(cursor) !== undefined) throw new JsonScanError('syntax');
}

function enclosed(cursor: JsonCursor, open: number, close: number, visit: () => void): void {
  expectByte(cursor, open);
  if (peek(cursor) === close) {
    cursor.at += 1;
    return;
  }
  for (;;) {
    visit();
    if (peek(cursor) === close) break;
    expectByte(cursor, COMMA);
  }
  cursor.at += 1;
}

function peek(cursor: JsonCursor): number | undefined {
  while (BLANKS.has(cursor.bytes[cursor.at])) cursor.at += 1;
  return cursor.bytes[cursor.at];
}

function expectByte(cursor: JsonCursor, byte: number): void {
  if (peek(cursor) !== byte) throw new JsonScanError('syntax');
  cursor.at += 1;
}

/** The end of a text that begins at `start`: at its closing quote, or at the end of the bytes. */
function endOfText(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let first = end;
    while (bytes[first - 1] === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return bytes.length;
}

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
