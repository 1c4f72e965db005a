import { BODY_DEPTH, BODY_VALUES } from '../../../../platform/basics/contract.ts';
import {
  eachElement,
  eachMember,
  expectEnd,
  isNext,
  type JsonCursor,
  JsonScanError,
  openJson,
  parseJson,
  parseValue,
  skipValue,
} from '../../../../platform/basics/parse-json.ts';
import {
  type BodyReader,
  type KeyRule,
  type KeyRules,
  NAME,
  NAME_LENGTH,
  type OtlpKind,
  type RawRecord,
  ruleOf,
  type Scalar,
  TEXT_LENGTH,
  UNREADABLE,
  UnreadableOtlp,
  WRONG_ROUTE,
} from './record.ts';

const FIELDS = {
  logs: { owners: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' },
  traces: { owners: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' },
  metrics: { owners: 'resourceMetrics', scopes: 'scopeMetrics', records: 'metrics' },
} as const;
const OWNERS: ReadonlySet<string> = new Set(Object.values(FIELDS).map(({ owners }) => owners));
const HEADS = { scopes: 'resource', records: 'scope' } as const;

/** Bounds of each part that is parsed by itself. An `AnyValue` of OTLP nests four levels of JSON for one of its own. */
const BOUNDS = { depth: 4 * BODY_DEPTH, values: BODY_VALUES };

const FAULTS = {
  syntax: 'The body is not valid JSON.',
  depth: `A part of the body is nested deeper than ${BOUNDS.depth} levels.`,
  values: `A part of the body, such as a record, holds more than ${BOUNDS.values} values.`,
} as const;

/** The body without U+FEFF before it, which RFC 8259 lets a reader ignore. */
function withoutMark(body: Uint8Array): Uint8Array {
  const isMarked = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return isMarked ? body.subarray(3) : body;
}

/**
 * Opens an OTLP/JSON body (lowerCamelCase, hex ids, int64 as text or number). Parses one part at a time: the objects of a whole
 * body take many times its bytes. The points of metrics are skipped as bytes.
 */
export function openJsonBody(body: Uint8Array, kind: OtlpKind): BodyReader {
  const cursor = openJson(withoutMark(body));
  const names = FIELDS[kind];
  const parse = () => objectOf(parseValue(cursor, BOUNDS));
  return {
    owners: (visit) => {
      if (body.length === 0) return;
      if (!isNext(cursor, '{')) throw new UnreadableOtlp('The body must be a JSON object.');
      const found = readFields(cursor, { [names.owners]: () => readList(cursor, visit) });
      expectEnd(cursor);
      if (found.size > 0 && !found.has(names.owners)) throw new UnreadableOtlp(WRONG_ROUTE[kind]);
    },
    parts: (list, onHead, onItem) => {
      readFields(cursor, { [HEADS[list]]: onHead, [names[list]]: () => readList(cursor, onItem) });
    },
    attributes: (rules) => attributesOf(parse(), rules),
    name: () => textOf(parse().name),
    bounds: () => [skipValue(cursor, kind === 'metrics' ? undefined : BOUNDS), cursor.at],
    readRecord: (start, end, rules) => {
      if (kind === 'metrics') return { attributes: new Map(), name: metricName(cursor, start) };
      return rawOf(objectOf(parseJson(cursor.bytes.toString('utf8', start, end))), rules);
    },
    describe: (error) => (error instanceof JsonScanError ? new UnreadableOtlp(FAULTS[error.fault]) : error),
  };
}

/**
 * Reads members of the next value by these functions and drops all else. Returns the names of lists that OTLP knows. Refuses a
 * field that comes twice, as ProtoJSON parsers do.
 */
function readFields(cursor: JsonCursor, fields: Readonly<Record<string, () => void>>): Set<string> {
  const seen = new Set<string>();
  if (!isNext(cursor, '{')) {
    parseValue(cursor, BOUNDS);
    return seen;
  }
  eachMember(cursor, (name) => {
    const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (read && seen.has(name)) throw new UnreadableOtlp(`The body names ${name} twice in one object.`);
    if (read || OWNERS.has(name)) seen.add(name);
    if (read) read();
    else if (OWNERS.has(name)) skipValue(cursor);
    else parseValue(cursor, BOUNDS);
  });
  return seen;
}

/** Calls `visit` before each element. Null is an empty list. Throws for any other value. */
function readList(cursor: JsonCursor, visit: () => void): void {
  if (isNext(cursor, '[')) eachElement(cursor, visit);
  else if (parseValue(cursor, BOUNDS) !== null) throw new UnreadableOtlp(UNREADABLE);
}

function metricName(cursor: JsonCursor, start: number): string {
  let name: unknown;
  cursor.at = start;
  if (isNext(cursor, '{'))
    eachMember(cursor, (member) => {
      if (member === 'name') name = parseValue(cursor, BOUNDS);
      else skipValue(cursor);
    });
  return beginOf(name);
}

type Json = Readonly<Record<string, unknown>>;

function rawOf(record: Json, rules: KeyRules): RawRecord {
  const { code } = objectOf(record.status);
  return {
    attributes: attributesOf(record, rules),
    timeNanos: nanosOf(record.timeUnixNano),
    observedNanos: nanosOf(record.observedTimeUnixNano),
    startNanos: nanosOf(record.startTimeUnixNano),
    endNanos: nanosOf(record.endTimeUnixNano),
    eventName: beginOf(record.eventName),
    name: beginOf(record.name),
    body: beginOf(objectOf(record.body).stringValue),
    traceId: textOf(record.traceId),
    spanId: textOf(record.spanId),
    parentSpanId: textOf(record.parentSpanId),
    isFailed: code === 2 || code === 'STATUS_CODE_ERROR',
  };
}

function attributesOf(owner: Json, rules: KeyRules): Map<string, Scalar> {
  const attributes = new Map<string, Scalar>();
  for (const { key, value } of listOf(owner.attributes)) {
    const known = ruleOf(rules, textOf(key));
    const scalar = known && readValue(objectOf(value), known.rule);
    if (known && scalar !== undefined) attributes.set(known.name, scalar as Scalar);
  }
  return attributes;
}

/** An `AnyValue` that is text, truth or number; by the rule `presence` only that there is any. */
function readValue(any: Json, rule: KeyRule): Scalar | undefined {
  const scalar = scalarOf(any);
  if (rule === 'value') return scalar;
  if (scalar !== undefined) return Boolean(scalar) || undefined;
  const { arrayValue, kvlistValue, bytesValue } = any;
  const isListed = [arrayValue, kvlistValue].some((list) => listOf(objectOf(list).values).length > 0);
  return isListed || textOf(bytesValue) !== '' || undefined;
}

function scalarOf({ stringValue, boolValue, intValue, doubleValue }: Json): Scalar | undefined {
  if (typeof stringValue === 'string') return stringValue.slice(0, TEXT_LENGTH);
  if (typeof boolValue === 'boolean') return boolValue;
  // int64 comes as text or number; a double that is not finite comes as text (ProtoJSON).
  for (const number of [intValue, doubleValue]) {
    if (typeof number === 'number') return number;
    if (typeof number === 'string') return number.trim() === '' ? Number.NaN : Number(number);
  }
  return undefined;
}

/** The objects of a list; anything else in it counts as an empty one. Throws for a value that is no list. */
function listOf(value: unknown): Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new UnreadableOtlp(UNREADABLE);
  return value.map(objectOf);
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function beginOf(text: unknown): string {
  return NAME.exec(textOf(text).slice(0, NAME_LENGTH))?.[0] ?? '';
}

/** Nanoseconds since the epoch, as text or number; 0 when missing or not readable. */
function nanosOf(value: unknown): bigint {
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? BigInt(value) : 0n;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? BigInt(Math.trunc(value)) : 0n;
}
