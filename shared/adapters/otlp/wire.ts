import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { idOfHex, NAME_LENGTH, UNREADABLE, UnreadableOtlp } from './record.ts';

/** A part of the request's bytes: a message, or the content of a string. */
export interface Span {
  start: number;
  end: number;
}

export interface Wire {
  reader: BinaryReader;
  bytes: Buffer;
}

/** Bytes and the reader that walks them. */
export function openWire(request: Uint8Array): Wire {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  return { reader: new BinaryReader(request), bytes };
}

/** The whole request. */
export function wholeOf({ bytes }: Wire): Span {
  return { start: 0, end: bytes.length };
}

/** What is told of bytes that are no protobuf. */
export function unreadable(): UnreadableOtlp {
  return new UnreadableOtlp(UNREADABLE);
}

/** Calls `visit` at each field of a message. It must read the value, or say by `false` that it did not. */
export function eachField(
  wire: Wire,
  { start, end }: Span,
  visit: (field: number, type: WireType) => boolean,
): void {
  const { reader } = wire;
  reader.pos = start;
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    if (!visit(field, type)) reader.skip(type, field);
  }
  if (reader.pos !== end) throw unreadable();
}

/** The bounds of a length-delimited field, which is skipped. Throws `UnreadableOtlp` where it ends outside. */
export function readSpan({ reader }: Pick<Wire, 'reader'>, within: Span): Span {
  const length = reader.uint32();
  const span = { start: reader.pos, end: reader.pos + length };
  if (span.end > within.end) throw unreadable();
  reader.pos = span.end;
  return span;
}

/** Every occurrence of a message in a field, in order. The reader may be moved between two of them. */
export function* messages({ reader }: Wire, within: Span, wanted: number): Generator<Span> {
  let at = within.start;
  while (at < within.end) {
    reader.pos = at;
    const [field, type] = reader.tag();
    const isWanted = field === wanted && type === WireType.LengthDelimited;
    const found = isWanted ? readSpan({ reader }, within) : null;
    if (!isWanted) reader.skip(type, field);
    at = reader.pos;
    if (found) yield found;
  }
  if (at !== within.end) throw unreadable();
}

/** The last occurrence of a message in a field, which is the one that counts; null when there is none. */
export function lastMessage(wire: Wire, within: Span, wanted: number): Span | null {
  let last: Span | null = null;
  eachField(wire, within, (field, type) => {
    if (field !== wanted || type !== WireType.LengthDelimited) return false;
    last = readSpan(wire, within);
    return true;
  });
  return last;
}

/** The begin of a text, as far as it reads like an event's name. */
export function beginOf({ bytes }: Wire, { start, end }: Span): string {
  let at = start;
  while (at < end && at - start < NAME_LENGTH && isNameByte(bytes[at] ?? 0)) at += 1;
  return bytes.toString('latin1', start, at);
}

/** Letters, digits, `.`, `_` and `-`. */
function isNameByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x5f
  );
}

/** An id of so many bytes as lower-case hex, or empty. */
export function readId(wire: Wire, within: Span, bytes: number): string {
  const { start, end } = readSpan(wire, within);
  return end - start === bytes ? idOfHex(wire.bytes.toString('hex', start, end), bytes) : '';
}
