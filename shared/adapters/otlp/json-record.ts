import {
  durationMs,
  exactMsOfNanos,
  idOfHex,
  type KeyRules,
  msOfNanos,
  NAME_LENGTH,
  namesOf,
  type OtlpRecord,
  ruleOf,
  type Scalar,
  TEXT_LENGTH,
  UNREADABLE,
  UnreadableOtlp,
} from './record.ts';

type Json = Readonly<Record<string, unknown>>;

/** The objects of a list; what is no object counts as an empty one. Throws for what is no list. */
function listOf(value: unknown): Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new UnreadableOtlp(UNREADABLE);
  return value.map(objectOf);
}

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function attributesOf(owner: Json, rules: KeyRules): Map<string, Scalar> {
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
  if (typeof stringValue === 'string') return stringValue.slice(0, TEXT_LENGTH);
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
export function beginOf(text: unknown): string {
  return /^[A-Za-z0-9_.-]*/.exec(textOf(text).slice(0, NAME_LENGTH))?.[0] ?? '';
}

/** Nanoseconds since the epoch, as text or number; 0 when missing or not readable. */
function nanosOf(value: unknown): bigint {
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? BigInt(value) : 0n;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? BigInt(Math.trunc(value)) : 0n;
}

export function logOf(log: Json, scope: string, resource: Map<string, Scalar>, rules: KeyRules): OtlpRecord {
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

export function spanOf(
  span: Json,
  scope: string,
  resource: Map<string, Scalar>,
  rules: KeyRules,
): OtlpRecord {
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
