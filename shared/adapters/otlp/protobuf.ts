import { WireType } from '@bufbuild/protobuf/wire';
import {
  countUp,
  durationMs,
  exactMsOfNanos,
  type KeyRules,
  msOfNanos,
  namesOf,
  type OtlpKind,
  type OtlpRecord,
  type Scalar,
  UnreadableOtlp,
  WRONG_ROUTE,
} from './record.ts';
import {
  beginOf,
  eachField,
  lastMessage,
  messages,
  openWire,
  readId,
  readSpan,
  type Span,
  unreadable,
  type Wire,
  wholeOf,
} from './wire.ts';
import { attributesOf } from './wire-attributes.ts';

/**
 * Records of an `ExportLogsServiceRequest` or `ExportTraceServiceRequest` (opentelemetry-proto 1.x). Only values of
 * allowed keys become text; all else is skipped as bytes. Throws `UnreadableOtlp`, possibly after some records.
 */
export function* walkProtobuf(request: Uint8Array, kind: OtlpKind, rules: KeyRules): Generator<OtlpRecord> {
  const wire = openWire(request);
  const countRecord = countUp('records');
  const countOrigin = countUp('resources and scopes');
  try {
    for (const owner of messages(wire, wholeOf(wire), 1)) {
      countOrigin();
      const described = lastMessage(wire, owner, 1);
      const resource = described ? attributesOf(wire, described, 1, rules) : new Map<string, Scalar>();
      for (const scoped of messages(wire, owner, 2)) {
        countOrigin();
        const origin = { scope: scopeName(wire, scoped), resource };
        for (const record of messages(wire, scoped, 2)) {
          countRecord();
          yield kind === 'logs' ? logOf(wire, record, origin, rules) : spanOf(wire, record, origin, rules);
        }
      }
    }
  } catch (error) {
    throw error instanceof UnreadableOtlp ? error : unreadable();
  }
}

/** The names of the metrics of an `ExportMetricsServiceRequest`. Throws `UnreadableOtlp`, possibly after some. */
export function* walkMetricNames(request: Uint8Array): Generator<string> {
  const wire = openWire(request);
  const countRecord = countUp('records');
  const countOrigin = countUp('resources and scopes');
  try {
    for (const owner of messages(wire, wholeOf(wire), 1)) {
      countOrigin();
      for (const scoped of messages(wire, owner, 2)) {
        countOrigin();
        for (const metric of messages(wire, scoped, 2)) {
          countRecord();
          yield nameOfMetric(wire, metric);
        }
      }
    }
  } catch (error) {
    throw error instanceof UnreadableOtlp ? error : unreadable();
  }
}

function scopeName(wire: Wire, scoped: Span): string {
  const scope = lastMessage(wire, scoped, 1);
  const name = scope && lastMessage(wire, scope, 1);
  return name ? wire.bytes.toString('utf8', name.start, name.end) : '';
}

interface Origin {
  scope: string;
  resource: Map<string, Scalar>;
}

function logOf(wire: Wire, log: Span, origin: Origin, rules: KeyRules): OtlpRecord {
  const { reader } = wire;
  let nanos = 0n;
  let observedNanos = 0n;
  let eventName = '';
  let body: Span | null = null;
  let traceId = '';
  let spanId = '';
  eachField(wire, log, (field, type) => {
    if (field === 1 && type !== WireType.Bit64) throw new UnreadableOtlp(WRONG_ROUTE.logs);
    if (field === 1) nanos = BigInt(reader.fixed64());
    else if (field === 11 && type === WireType.Bit64) observedNanos = BigInt(reader.fixed64());
    else if (type !== WireType.LengthDelimited) return false;
    else if (field === 5) body = readSpan(wire, log);
    else if (field === 9) traceId = readId(wire, log, 16);
    else if (field === 10) spanId = readId(wire, log, 8);
    else if (field === 12) eventName = beginOf(wire, readSpan(wire, log));
    else return false;
    return true;
  });
  const attributes = attributesOf(wire, log, 6, rules);
  return {
    kind: 'logs',
    ...origin,
    names: namesOf(eventName, attributes.get('event.name'), body ? beginOfBody(wire, body) : ''),
    attributes,
    timeMs: msOfNanos(nanos),
    observedMs: msOfNanos(observedNanos),
    startMs: null,
    durationMs: null,
    traceId,
    spanId,
    parentSpanId: '',
    isFailed: false,
  };
}

function beginOfBody(wire: Wire, any: Span): string {
  const text = lastMessage(wire, any, 1);
  return text ? beginOf(wire, text) : '';
}

function spanOf(wire: Wire, span: Span, origin: Origin, rules: KeyRules): OtlpRecord {
  const { reader } = wire;
  let traceId = '';
  let spanId = '';
  let parentSpanId = '';
  let name = '';
  let startNanos = 0n;
  let endNanos = 0n;
  let status: Span | null = null;
  eachField(wire, span, (field, type) => {
    if ((field === 1 || field === 2) && type !== WireType.LengthDelimited)
      throw new UnreadableOtlp(WRONG_ROUTE.traces);
    if ((field === 7 || field === 8) && type !== WireType.Bit64) throw new UnreadableOtlp(WRONG_ROUTE.traces);
    if (field === 7) startNanos = BigInt(reader.fixed64());
    else if (field === 8) endNanos = BigInt(reader.fixed64());
    else if (type !== WireType.LengthDelimited) return false;
    else if (field === 1) traceId = readId(wire, span, 16);
    else if (field === 2) spanId = readId(wire, span, 8);
    else if (field === 4) parentSpanId = readId(wire, span, 8);
    else if (field === 5) name = beginOf(wire, readSpan(wire, span));
    else if (field === 15) status = readSpan(wire, span);
    else return false;
    return true;
  });
  return {
    kind: 'traces',
    ...origin,
    names: namesOf(name),
    attributes: attributesOf(wire, span, 9, rules),
    timeMs: msOfNanos(endNanos),
    observedMs: null,
    startMs: exactMsOfNanos(startNanos),
    durationMs: durationMs(startNanos, endNanos),
    traceId,
    spanId,
    parentSpanId,
    isFailed: status !== null && statusCode(wire, status) === 2,
  };
}

function statusCode(wire: Wire, status: Span): number {
  let code = 0;
  eachField(wire, status, (field, type) => {
    if (field !== 3 || type !== WireType.Varint) return false;
    code = wire.reader.uint32();
    return true;
  });
  return code;
}

/** Fields of a `Metric` that are messages or text: a span or a log has numbers there. */
const METRIC_FIELDS: ReadonlySet<number> = new Set([1, 2, 3, 5, 7, 9, 10, 11]);

function nameOfMetric(wire: Wire, metric: Span): string {
  let name = '';
  eachField(wire, metric, (field, type) => {
    if (!METRIC_FIELDS.has(field)) return false;
    if (type !== WireType.LengthDelimited) throw new UnreadableOtlp(WRONG_ROUTE.metrics);
    if (field !== 1) return false;
    name = beginOf(wire, readSpan(wire, metric));
    return true;
  });
  return name;
}
