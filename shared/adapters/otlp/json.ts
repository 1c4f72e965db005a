import { cutRecords, recordText } from './cut-json.ts';
import {
  durationMs,
  exactMsOfNanos,
  idOfHex,
  type KeyRules,
  msOfNanos,
  NAME_LENGTH,
  namesOf,
  type OtlpKind,
  type OtlpRecord,
  ruleOf,
  type Scalar,
  UnreadableOtlp,
  WRONG_ROUTE,
} from './record.ts';

type Json = Readonly<Record<string, unknown>>;

const FIELDS = {
  logs: { owners: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' },
  traces: { owners: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' },
  metrics: { owners: 'resourceMetrics', scopes: 'scopeMetrics', records: 'metrics' },
} as const;

/** A parsed JSON body of any kind. Throws `UnreadableOtlp`: the parser's own message quotes the body. */
export function parseOtlpJson(body: Uint8Array): unknown {
  return body.byteLength === 0 ? {} : parse(bytesOf(body).toString('utf8'));
}

function bytesOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableOtlp('The body is not valid JSON.');
  }
}

/**
 * Records of an OTLP/JSON body, as `pickJson` picks them from its parsed whole, with one record parsed at a time. Throws
 * `UnreadableOtlp`, possibly after some records.
 */
export function* readJson(body: Uint8Array, kind: OtlpKind, rules: KeyRules): Generator<OtlpRecord> {
  if (body.byteLength === 0) return;
  const bytes = bytesOf(body);
  const cut = cutRecords(bytes, FIELDS[kind]);
  yield* pickJson(parse(cut.frame), kind, rules, (element) => {
    const text = recordText(bytes, cut, element);
    return text === null ? element : objectOf(parse(text));
  });
}

/**
 * Records of a parsed OTLP/JSON request (lowerCamelCase, hex ids, int64 as text or number). Only values of allowed keys
 * are taken. `recordOf` gives the record that stands for an element. Throws `UnreadableOtlp`, possibly after some records.
 */
export function* pickJson(
  request: unknown,
  kind: OtlpKind,
  rules: KeyRules,
  recordOf: (element: Json) => Json = (element) => element,
): Generator<OtlpRecord> {
  const { scopes, records } = FIELDS[kind];
  for (const owner of ownersOf(request, kind)) {
    const resource = attributesOf(objectOf(owner.resource), rules);
    for (const scoped of listOf(owner[scopes])) {
      const scope = textOf(objectOf(scoped.scope).name);
      for (const element of listOf(scoped[records])) {
        const record = recordOf(element);
        yield kind === 'logs'
          ? logOf(record, scope, resource, rules)
          : spanOf(record, scope, resource, rules);
      }
    }
  }
}

/** The names of the metrics of a parsed OTLP/JSON request. Throws `UnreadableOtlp`. */
export function pickMetricNames(request: unknown): string[] {
  return ownersOf(request, 'metrics')
    .flatMap((owner) => listOf(owner.scopeMetrics))
    .flatMap((scoped) => listOf(scoped.metrics))
    .map((metric) => beginOf(metric.name));
}

function ownersOf(request: unknown, kind: keyof typeof FIELDS): Json[] {
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    throw new UnreadableOtlp('The body must be a JSON object.');
  const body = request as Json;
  const others = Object.values(FIELDS).filter(({ owners }) => owners !== FIELDS[kind].owners);
  if (!(FIELDS[kind].owners in body) && others.some(({ owners }) => owners in body))
    throw new UnreadableOtlp(WRONG_ROUTE[kind]);
  return listOf(body[FIELDS[kind].owners]);
}

/** The objects of a list; what is no object counts as an empty one. Throws for what is no list. */
function listOf(value: unknown): Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new UnreadableOtlp('The body is not a readable OTLP message.');
  return value.map(objectOf);
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function attributesOf(owner: Json, rules: KeyRules): Map<string, Scalar> {
  const attributes = new Map<string, Scalar>();
  for (const { key, value } of listOf(owner.attributes)) {
    const known = ruleOf(rules, textOf(key));
    if (!known) continue;
    const any = objectOf(value);
    const scalar = known.rule === 'value' ? scalarOf(any) : presenceOf(any);
    if (scalar !== undefined) attributes.set(known.name, scalar);
  }
  return attributes;
}

/** An `AnyValue` that is text, truth or number. */
function scalarOf({ stringValue, boolValue, intValue, doubleValue }: Json): Scalar | undefined {
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  // int64 comes as text or number; a double that is not finite comes as text (ProtoJSON).
  for (const number of [intValue, doubleValue]) {
    if (typeof number === 'number') return number;
    if (typeof number === 'string') return number.trim() === '' ? Number.NaN : Number(number);
  }
  return undefined;
}

function presenceOf(any: Json): true | undefined {
  const scalar = scalarOf(any);
  if (scalar !== undefined) return Boolean(scalar) || undefined;
  const { arrayValue, kvlistValue, bytesValue } = any;
  const isListed = [arrayValue, kvlistValue].some((list) => listOf(objectOf(list).values).length > 0);
  return isListed || textOf(bytesValue) !== '' || undefined;
}

/** The begin of a text, as far as it reads like an event's name. */
function beginOf(text: unknown): string {
  return /^[A-Za-z0-9_.-]*/.exec(textOf(text).slice(0, NAME_LENGTH))?.[0] ?? '';
}

/** Nanoseconds since the epoch, as text or number; 0 when missing or not readable. */
function nanosOf(value: unknown): bigint {
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? BigInt(value) : 0n;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? BigInt(Math.trunc(value)) : 0n;
}

function logOf(log: Json, scope: string, resource: Map<string, Scalar>, rules: KeyRules): OtlpRecord {
  const attributes = attributesOf(log, rules);
  const body = objectOf(log.body).stringValue;
  return {
    kind: 'logs',
    scope,
    resource,
    names: namesOf(beginOf(log.eventName), attributes.get('event.name'), beginOf(body)),
    attributes,
    timeMs: msOfNanos(nanosOf(log.timeUnixNano)),
    observedMs: msOfNanos(nanosOf(log.observedTimeUnixNano)),
    startMs: null,
    durationMs: null,
    traceId: idOfHex(textOf(log.traceId), 16),
    spanId: idOfHex(textOf(log.spanId), 8),
    parentSpanId: '',
    isFailed: false,
  };
}

function spanOf(span: Json, scope: string, resource: Map<string, Scalar>, rules: KeyRules): OtlpRecord {
  const { code } = objectOf(span.status);
  const start = nanosOf(span.startTimeUnixNano);
  const end = nanosOf(span.endTimeUnixNano);
  return {
    kind: 'traces',
    scope,
    resource,
    names: namesOf(beginOf(span.name)),
    attributes: attributesOf(span, rules),
    timeMs: msOfNanos(end),
    observedMs: null,
    startMs: exactMsOfNanos(start),
    durationMs: durationMs(start, end),
    traceId: idOfHex(textOf(span.traceId), 16),
    spanId: idOfHex(textOf(span.spanId), 8),
    parentSpanId: idOfHex(textOf(span.parentSpanId), 8),
    isFailed: code === 2 || code === 'STATUS_CODE_ERROR',
  };
}
