import { RECORDS_PER_REQUEST } from '../../../../platform/basics/contract.ts';

/** A value that an attribute may have here. Arrays, maps and bytes are never read. */
export type Scalar = string | number | boolean;

/** Allowed attributes by key. One of which only the presence may be known is `true`. */
export type Attributes = ReadonlyMap<string, Scalar>;

export type OtlpKind = 'logs' | 'traces' | 'metrics';

/** One log record or span, reduced to what an adapter may see; a metric has a name only. Both encodings give the same record. */
export interface OtlpRecord {
  kind: OtlpKind;
  scope: string;
  /** A log's `event_name`, attribute `event.name` and begin of its body; a span's name. Without the empty ones. */
  names: readonly string[];
  attributes: Attributes;
  resource: Attributes;
  /** Epoch milliseconds of a log's `time_unix_nano`, of a span's end; null when missing or 0. */
  timeMs: number | null;
  /** Epoch milliseconds of a log's `observed_time_unix_nano`; null when missing or 0. */
  observedMs: number | null;
  /** Epoch milliseconds of a span's start, with their fraction; null for a log, and when missing or 0. */
  startMs: number | null;
  /** Milliseconds from a span's start to its end; null for a log, and when the end is missing or before the start. */
  durationMs: number | null;
  /** Lower-case hex; empty when missing or not valid. */
  traceId: string;
  spanId: string;
  /** The span in which this one ran; empty for a log. */
  parentSpanId: string;
  /** True when a span's status is ERROR. */
  isFailed: boolean;
}

export type NanosName = 'timeNanos' | 'observedNanos' | 'startNanos' | 'endNanos';
/** Ids are hex, of any length. */
export type TextName = 'eventName' | 'name' | 'body' | 'traceId' | 'spanId' | 'parentSpanId';

/** A record as an encoding reads it. A time of 0 counts as missing. */
export type RawRecord = Partial<Record<NanosName, bigint>> &
  Partial<Record<TextName, string>> & { attributes: Map<string, Scalar>; isFailed?: boolean };

export interface BodyReader {
  /** Visits each `Resource…` message of the request. */
  owners(visit: () => void): void;
  /** Visits the parts of the message that is being visited: its head (`resource` or `scope`), and each item of its list. */
  parts(list: 'scopes' | 'records', onHead: () => void, onItem: () => void): void;
  /** The attributes of the head that is being visited. */
  attributes(rules: KeyRules): Map<string, Scalar>;
  /** The name of the head that is being visited. */
  name(): string;
  /** The bytes of the item that is being visited. */
  bounds(): [start: number, end: number];
  readRecord(start: number, end: number, rules: KeyRules): RawRecord;
  /** `UnreadableOtlp` for an error that a request causes; any other as it is. */
  describe(error: unknown): unknown;
}

/** How an attribute may be read: its value, or only that it is there. A key without a rule is skipped as bytes. */
export type KeyRule = 'value' | 'presence';

export interface KeyRules {
  readonly keys: ReadonlyMap<string, KeyRule>;
  /** A key that begins so is noted as present under `PREFIX*`. */
  readonly presentPrefixes: readonly string[];
}

/** A request that no retry makes readable. The message never quotes the request. */
export class UnreadableOtlp extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnreadableOtlp';
  }
}

/** Counts parts of a request. The returned function throws `UnreadableOtlp` beyond `RECORDS_PER_REQUEST`. */
export function countUp(sort: 'records' | 'resources and scopes'): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > RECORDS_PER_REQUEST)
      throw new UnreadableOtlp(
        `The body holds more than ${RECORDS_PER_REQUEST} ${sort}. Send smaller batches.`,
      );
  };
}

/** The rule of a key and the name under which its attribute is noted. Null: skip it. */
export function ruleOf(rules: KeyRules, key: string): { name: string; rule: KeyRule } | null {
  const rule = rules.keys.get(key);
  if (rule !== undefined) return { name: key, rule };
  const prefix = rules.presentPrefixes.find((begin) => key.startsWith(begin));
  return prefix === undefined ? null : { name: `${prefix}*`, rule: 'presence' };
}

/** Characters of a name that are read at most. */
export const NAME_LENGTH = 96;
/** The characters of an event's name. */
export const NAME = /^[A-Za-z0-9_.-]*/;

/**
 * Characters of an attribute's text that are read at most: far more than an id has. Every record inherits the texts of its
 * resource, so a long one would be worked on as often as there are records.
 */
export const TEXT_LENGTH = 4_096;

/** A record as the adapters see it. */
export function recordOf(kind: OtlpKind, raw: RawRecord, scope: string, resource: Attributes): OtlpRecord {
  const { attributes, timeNanos = 0n, observedNanos = 0n, startNanos = 0n, endNanos = 0n } = raw;
  const isSpan = kind === 'traces';
  const names = kind === 'logs' ? [raw.eventName, attributes.get('event.name'), raw.body] : [raw.name];
  return {
    kind,
    scope,
    resource,
    names: names.filter((name) => typeof name === 'string' && name !== '') as string[],
    attributes,
    timeMs: msOfNanos(isSpan ? endNanos : timeNanos),
    observedMs: isSpan ? null : msOfNanos(observedNanos),
    startMs: isSpan && startNanos !== 0n ? Number(startNanos) / 1e6 : null,
    durationMs: isSpan ? durationMs(startNanos, endNanos) : null,
    traceId: idOfHex(raw.traceId, 16),
    spanId: idOfHex(raw.spanId, 8),
    parentSpanId: isSpan ? idOfHex(raw.parentSpanId, 8) : '',
    isFailed: isSpan && raw.isFailed === true,
  };
}

/** Epoch milliseconds of nanoseconds, rounded down; 0 is missing. */
function msOfNanos(nanos: bigint): number | null {
  return nanos === 0n ? null : Number(nanos / 1_000_000n);
}

/** Milliseconds between two times in nanoseconds; null when one is missing or they are in the wrong order. */
function durationMs(startNanos: bigint, endNanos: bigint): number | null {
  if (startNanos === 0n || endNanos === 0n || endNanos < startNanos) return null;
  return Number(endNanos - startNanos) / 1e6;
}

/** A trace or span id as lower-case hex, or empty when it has another length or is all zeros. */
function idOfHex(hex: string | undefined, bytes: number): string {
  const lower = hex?.toLowerCase() ?? '';
  return lower.length === bytes * 2 && /^[0-9a-f]+$/.test(lower) && /[^0]/.test(lower) ? lower : '';
}

/** The answer to bytes that are no message of OTLP. */
export const UNREADABLE = 'The body is not a readable OTLP message.';

/** The answer to a request of another kind than its route takes. */
export const WRONG_ROUTE = {
  logs: 'These are no log records: send spans to /v1/traces and metrics to /v1/metrics.',
  traces: 'These are no spans: send log records to /v1/logs and metrics to /v1/metrics.',
  metrics: 'These are no metrics: send log records to /v1/logs and spans to /v1/traces.',
} as const;
