import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import {
  type BodyReader,
  type KeyRule,
  type KeyRules,
  NAME,
  NAME_LENGTH,
  type NanosName,
  type OtlpKind,
  type RawRecord,
  ruleOf,
  type Scalar,
  TEXT_LENGTH,
  type TextName,
  UNREADABLE,
  UnreadableOtlp,
  WRONG_ROUTE,
} from './record.ts';

const { Bit64, LengthDelimited, Varint } = WireType;

interface Wire {
  reader: BinaryReader;
  bytes: Buffer;
}

/** Opens an `Export…ServiceRequest` (opentelemetry-proto 1.x). Fields that are not below, such as a prompt, are skipped as bytes. */
export function openProtobufBody(body: Uint8Array, kind: OtlpKind): BodyReader {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const wire = { reader: new BinaryReader(body), bytes };
  let visited: [start: number, end: number] = [0, bytes.length];
  const visitFields = (visits: Readonly<Record<number, () => void>>) => {
    const message = visited;
    eachField(wire, ...message, (field, type, start, end) => {
      if (type !== LengthDelimited) return;
      visited = [start, end];
      visits[field]?.();
    });
    visited = message;
  };
  return {
    owners: (visit) => visitFields({ 1: visit }),
    parts: (_list, onHead, onItem) => visitFields({ 1: onHead, 2: onItem }),
    attributes: (rules) => {
      const attributes = new Map<string, Scalar>();
      visitFields({ 1: () => addAttribute(wire, ...visited, { rules, attributes }) });
      return attributes;
    },
    name: () => {
      let name = '';
      visitFields({ 1: () => (name = bytes.toString('utf8', ...visited)) });
      return name;
    },
    bounds: () => visited,
    readRecord: (start, end, rules) => readRecord(wire, kind, start, end, rules),
    describe: (error) => (error instanceof UnreadableOtlp ? error : new UnreadableOtlp(UNREADABLE)),
  };
}

/** Calls `visit` at the content of each field of a message. Throws where a field ends outside of it. */
function eachField(
  { reader }: Wire,
  from: number,
  to: number,
  visit: (field: number, type: WireType, start: number, end: number) => void,
): void {
  reader.pos = from;
  while (reader.pos < to) {
    const [field, type] = reader.tag();
    const length = type === LengthDelimited ? reader.uint32() : 0;
    const start = reader.pos;
    if (type === LengthDelimited) reader.pos += length;
    else reader.skip(type, field);
    const end = reader.pos;
    if (end > to) throw new UnreadableOtlp(UNREADABLE);
    reader.pos = start;
    visit(field, type, start, end);
    reader.pos = end;
  }
}

/** How a field of a record is read. Where `isTelling`, another type says that this is no record of its kind. */
interface Field {
  type: WireType;
  isTelling?: boolean;
  read?: Read;
}
type Read = (into: RawRecord, wire: Wire, start: number, end: number, rules: KeyRules) => void;

const nanos = (name: NanosName): Field => ({
  type: Bit64,
  read: (into, { reader }) => {
    into[name] = BigInt(reader.fixed64());
  },
});
const message = (read: Read): Field => ({ type: LengthDelimited, read });
const id = (name: TextName) =>
  message((into, { bytes }, start, end) => {
    // No id is longer than 16 bytes; one byte more shows that this is none.
    into[name] = bytes.toString('hex', start, Math.min(end, start + 17));
  });
const begin = (name: TextName) =>
  message((into, wire, start, end) => {
    into[name] = beginOf(wire, start, end);
  });
const attribute = message(({ attributes }, wire, start, end, rules) =>
  addAttribute(wire, start, end, { rules, attributes }),
);
const body = message((into, wire, from, to) => {
  into.body = '';
  eachField(wire, from, to, (field, type, start, end) => {
    if (field === 1 && type === LengthDelimited) into.body = beginOf(wire, start, end);
  });
});
const status = message((into, wire, from, to) => {
  into.isFailed = false;
  eachField(wire, from, to, (field, type) => {
    if (field === 3 && type === Varint) into.isFailed = wire.reader.uint32() === 2;
  });
});
const telling = (field: Field): Field => ({ ...field, isTelling: true });
/** The parts of a metric that are messages or text: a span or a log has numbers there. */
const part = telling({ type: LengthDelimited });

const FIELDS: Readonly<Record<OtlpKind, Readonly<Record<number, Field>>>> = {
  logs: {
    1: telling(nanos('timeNanos')),
    5: body,
    6: attribute,
    9: id('traceId'),
    10: id('spanId'),
    11: nanos('observedNanos'),
    12: begin('eventName'),
  },
  traces: {
    1: telling(id('traceId')),
    2: telling(id('spanId')),
    4: id('parentSpanId'),
    5: begin('name'),
    7: telling(nanos('startNanos')),
    8: telling(nanos('endNanos')),
    9: attribute,
    15: status,
  },
  metrics: { 1: telling(begin('name')), 2: part, 3: part, 5: part, 7: part, 9: part, 10: part, 11: part },
};

function readRecord(wire: Wire, kind: OtlpKind, from: number, to: number, rules: KeyRules): RawRecord {
  const record: RawRecord = { attributes: new Map() };
  const fields = FIELDS[kind];
  eachField(wire, from, to, (number, type, start, end) => {
    const field = fields[number];
    if (field?.type === type) field.read?.(record, wire, start, end, rules);
    else if (field?.isTelling) throw new UnreadableOtlp(WRONG_ROUTE[kind]);
  });
  return record;
}

/** Notes a `KeyValue` whose key is allowed. The value of any other key is skipped as bytes. */
function addAttribute(
  wire: Wire,
  from: number,
  to: number,
  { rules, attributes }: { rules: KeyRules; attributes: Map<string, Scalar> },
): void {
  let known: ReturnType<typeof ruleOf> = null;
  let value = { start: 0, end: -1 };
  eachField(wire, from, to, (field, type, start, end) => {
    if (type !== LengthDelimited) return;
    // Every allowed key is ASCII, and no other text reads like one of them as Latin-1.
    if (field === 1) known = ruleOf(rules, wire.bytes.toString('latin1', start, end));
    if (field === 2) value = { start, end };
  });
  if (!known || value.end < 0) return;
  const { name, rule }: NonNullable<typeof known> = known;
  const scalar = readValue(wire, value.start, value.end, rule);
  if (scalar !== undefined) attributes.set(name, scalar);
}

/** These bytes hold as many UTF-16 units, whatever the characters, and the last one whole. */
const TEXT_BYTES = 3 * TEXT_LENGTH + 4;

/**
 * An `AnyValue` that is text, truth or number; by the rule `presence` only that there is any, of which no text is read. The last
 * one of the choice counts, as protobuf has it.
 */
function readValue(wire: Wire, from: number, to: number, rule: KeyRule): Scalar | undefined {
  const { reader, bytes } = wire;
  const isRead = rule === 'value';
  let value: Scalar | undefined;
  eachField(wire, from, to, (field, type, start, end) => {
    if (field === 1 && type === LengthDelimited && isRead)
      value = bytes.toString('utf8', start, Math.min(end, start + TEXT_BYTES)).slice(0, TEXT_LENGTH);
    else if (field === 2 && type === Varint) value = reader.bool();
    else if (field === 3 && type === Varint) value = Number(reader.int64());
    else if (field === 4 && type === Bit64) value = reader.double();
    else if (field <= 7) value = isRead ? undefined : type === LengthDelimited && end > start;
  });
  return isRead ? value : Boolean(value) || undefined;
}

const NAME_BYTES: readonly boolean[] = Array.from({ length: 256 }, (_, byte) =>
  Boolean(NAME.exec(String.fromCharCode(byte))?.[0]),
);

/** The begin of a text, as far as it reads like an event's name. Nothing behind it becomes text. */
function beginOf({ bytes }: Wire, start: number, end: number): string {
  let at = start;
  while (at < end && at - start < NAME_LENGTH && NAME_BYTES[bytes[at] ?? 0]) at += 1;
  return bytes.toString('latin1', start, at);
}
